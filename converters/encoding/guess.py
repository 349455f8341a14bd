"""Which encoding a text that is not UTF-8 has.

Among those that these files come in, the one whose letters are where letters belong.

VISCII (RFC 1456) and TCVN (TCVN 5712:1993, of which the fonts called `.VnTime` use a part) are older encodings of
Vietnamese that Python does not know. Of both only the bytes from 0x80 on are read: their few letters among the control
codes are capitals that hardly occur.
"""

import codecs
from collections.abc import Callable

_ASCII = "".join(map(chr, range(128)))
_HIGH = {
    "viscii": (
        "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯ"
        "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ"
    ),
    "tcvn": (
        "ÀẢÃÁẠẶẬÈẺẼÉẸỆÌỈĨÍỊÒỎÕÓỌỘỜỞỠỚỢÙỦŨ\N{NO-BREAK SPACE}ĂÂÊÔƠƯĐăâêôơưđẰ\u0300\u0309\u0303\u0301\u0323àảãáạẲằẳẵắẴ"
        "ẮẦẨẪẤỀặầẩẫấậèỂẻẽéẹềểễếệìỉỄẾỒĩíịòỔỏõóọồổỗốộờởỡớợùỖủũúụừửữứựỳỷỹýỵỐ"
    ),
}
CANDIDATES = ("cp1252", "cp1258", *_HIGH)
CLEARLY_BETTER = 0.1
FEWEST_MISFITS = 3  # one or two odd characters are no other encoding
_ENDS_A_WORD = "’º"  # the only signs of cp1252 that stand between letters as a matter of course: l’Escala, nºs
_TONES, _VOWELS = "ìòÌÒÞ", "aeiouyâêôõýãăơưAEIOUY"  # how the tones of cp1258, which follow their vowel, look in cp1252

Decode = Callable[[bytes, bool], str]


def decoder(encoding: str) -> Decode:
    """A decoder that takes a text block by block, and whether the block is the last.

    What has no meaning becomes U+FFFD.
    """
    if encoding in _HIGH:
        table = _ASCII + _HIGH[encoding]
        return lambda block, final: codecs.charmap_decode(block, "replace", table)[0]
    return codecs.getincrementaldecoder(encoding)("replace").decode


def likely_encoding(sample: bytes) -> str:
    """The likely encoding of a piece of text.

    Cp1252 unless another one fits clearly better, latin-1 where cp1252 has no meaning.
    """
    misfits = {name: _misfits(decoder(name)(sample, True)) for name in CANDIDATES}
    best = min(CANDIDATES, key=lambda name: misfits[name])
    wide = sum(byte >= 0x80 for byte in sample)
    if misfits["cp1252"] - misfits[best] >= max(FEWEST_MISFITS, CLEARLY_BETTER * wide):
        return best
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _misfits(text: str) -> int:
    """How many characters outside ASCII are in an impossible place.

    Signs and capitals inside words, tones on nothing.
    """
    misfits = 0
    for before, character, after in zip(" " + text, text, text[1:] + " ", strict=False):
        if character < "\x80":
            continue
        if character.isalpha():
            fits = (character.islower() or not before.islower()) and not (character in _TONES and before in _VOWELS)
        elif character in "\u0300\u0301\u0303\u0309\u0323":
            fits = before.isalpha()
        else:
            inside = before.isalpha() and after.isalpha()
            fits = character != "\ufffd" and (character in _ENDS_A_WORD or not inside)
        misfits += not fits
    return misfits
