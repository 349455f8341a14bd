"""The files of the examples: one small clean file per kind, and the means to spoil it.

All content is invented. JSON is written with plain UTF-8 letters, so that `explain` can show it; the released files
escape them.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sharedtask.schemas.rule import Example

Tag = dict[str, int | str]
_MARK = re.compile(r"\[(\w+) ([^\]]+)\]")
_RELIABILITIES = ("confiable", "semiconfiable", "no confiable")


def clean(kind: str, name: str, text: str, against: str = "", against_name: str = "") -> Example:
    """An example with nothing wrong yet: the start of `spoil`."""
    return Example(kind, name, text, text, against, against_name)


def spoil(sound: Example, old: str, new: str) -> Example:
    """The example whose wrong file is the right one with the first `old` replaced by `new`."""
    if not isinstance(sound.right, str) or old not in sound.right:
        raise ValueError(f"{sound.name} does not hold {old!r}")
    return replace(sound, wrong=sound.right.replace(old, new, 1))


def lines(*records: str) -> str:
    """These records, each ended by a newline."""
    return "".join(f"{record}\n" for record in records)


def json_lines(records: Iterable[Mapping[str, object]]) -> str:
    """These objects as JSON Lines in the compact form of the released files."""
    return lines(*(json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records))


def zip_of(members: Mapping[str, str]) -> bytes:
    """A zip of these members: the same bytes at every call."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in members.items():
            info = zipfile.ZipInfo(name)  # dated 1980-01-01
            info.create_system = 3
            archive.writestr(info, text)
    return buffer.getvalue()


def unmark(marked: str) -> tuple[str, list[Tag]]:
    """The plain text of `[WHO El concejo] calla.`, and the tags of its marked spans."""
    text, tags, done = "", list[Tag](), 0
    for mark in _MARK.finditer(marked):
        text += marked[done : mark.start()]
        tags.append(
            {"Tag_Start": len(text), "Tag_End": len(text) + len(mark[2]), "5W1H_Label": mark[1], "Tag_Text": mark[2]}
        )
        text += mark[2]
        done = mark.end()
    return text + marked[done:], tags


def flares_test(marked: Mapping[int, str]) -> str:
    """The test file of FLARES subtask 1 with these texts."""
    return json_lines({"Id": key, "Text": unmark(text)[0]} for key, text in marked.items())


def flares_run(tags: Mapping[int, list[Tag]], keys: Iterable[str] = ("Tag_Start", "Tag_End", "5W1H_Label")) -> str:
    """The run of FLARES subtask 1 with these tags, of which only these keys are kept."""
    wanted = tuple(keys)
    return lines("Id,Tags", *(f'{key},"{[{k: tag[k] for k in wanted} for tag in row]}"' for key, row in tags.items()))


FLARES_MARKED = {
    31: "[WHO La asociación de apicultores] repartió [WHAT doscientas colmenas] [WHEN durante el otoño].",
    157: "Según el acta, [WHO el concejo de Robledal] aprobó [WHAT un censo de pozos] [HOW por unanimidad].",
    88: "[WHEN El martes], [WHO las maestras rurales] recibieron [WHAT mapas y lupas].",
    402: "Dicen que [WHO una vecina] encontró [WHAT tres monedas antiguas] [WHERE bajo el lavadero].",
}
FLARES_TEST = clean("flares/subtask1", "5w1h_subtarea_1_test.json", flares_test(FLARES_MARKED))
FLARES_TRAIN = clean(
    "flares/subtask1",
    "5w1h_subtarea_1_train.json",
    json_lines(
        {
            "Id": key,
            "Text": unmark(text)[0],
            "Tags": [
                {
                    "Tag_Start": tag["Tag_Start"],
                    "Tag_End": tag["Tag_End"],
                    "5W1H_Label": tag["5W1H_Label"],
                    "Reliability_Label": _RELIABILITIES[place],
                    "Tag_Text": tag["Tag_Text"],
                }
                for place, tag in enumerate(unmark(text)[1])
            ],
        }
        for key, text in FLARES_MARKED.items()
    ),
)
FLARES_RUN = clean(
    "flares/subtask1-run",
    "run.csv",
    flares_run({key: unmark(text)[1] for key, text in FLARES_MARKED.items()}),
    str(FLARES_TEST.right),
    FLARES_TEST.name,
)
FLARES_LABELS_RUN = clean(
    "flares/subtask2-run",
    "run.csv",
    lines("Id,Reliability_Label", "15,confiable", "3,no confiable", "21,semiconfiable"),
    json_lines(
        {
            "Id": key,
            "Text": unmark(FLARES_MARKED[31])[0],
            "5W1H_Label": tag["5W1H_Label"],
            "Tag_Text": tag["Tag_Text"],
            "Tag_Start": tag["Tag_Start"],
            "Tag_End": tag["Tag_End"],
        }
        for key, tag in zip((15, 3, 21), unmark(FLARES_MARKED[31])[1], strict=True)
    ),
    "5w1h_subtarea_2_test.json",
)

CHEERS_TEST = clean(
    "cheers/sentences",
    "sentences_en_test.csv",
    lines(
        "doc_id,sentence_id,sentence_text",
        "50311,0,Two boreholes were drilled for the host community.",
        "50311,1,The office moves to another street next week.",
        "50311,2,Midwives visit the settlement every Monday.",
        "50204,0,Farmers lost most of the maize to the flood.",
        "50204,1,Photographs may be used with credit.",
    ),
)
CHEERS_SENTENCES = clean(
    "cheers/sentences",
    "sentences_en_val.csv",
    lines(
        "doc_id,sentence_id,sentence_text,is_relevant,sector_ids",
        "50311,0,Two boreholes were drilled for the host community.,1,[10]",
        "50311,1,The office moves to another street next week.,0,[]",
        '50311,2,Midwives visit the settlement every Monday.,1,"[4, 8]"',
        '50204,0,Farmers lost most of the maize to the flood.,1,"[0, 3]"',
        "50204,1,Photographs may be used with credit.,0,[]",
    ),
)
CHEERS_DOCUMENTS = clean(
    "cheers/documents",
    "documents_en_val.csv",
    lines(
        "project_name,country_code,lang_code,doc_id,doc_text,doc_url",
        "IMMAP/DFS Nigeria,NGA,en,50311,Two boreholes were drilled for the host community.,https://example.org/wells",
        "IMMAP/DFS Colombia,COL,en,50204,Farmers lost most of the maize to the flood.,",
    ),
)
CHEERS_RUN = clean(
    "cheers/run",
    "run.csv",
    lines(
        "doc_id,sentence_id,is_relevant,sector_id",
        "50311,0,1,10",
        "50311,1,0,-1",
        "50311,2,1,4",
        "50204,0,1,3",
        "50204,1,0,-1",
    ),
    str(CHEERS_TEST.right),
    CHEERS_TEST.name,
)

_POSTS = "id,user_name,post_message,timestamp_post,num_like_post,num_comment_post,num_share_post"
REINTEL_POSTS = clean(
    "reintel/posts",
    "public_train.csv",
    lines(
        f"{_POSTS},label",
        "5001,9f1c27d0b3e84a6655aa0c7d18e2f943,Trạm y tế xã phát thuốc muỗi cho các hộ ven suối.,1585720800,14,3,2,0",
        "5002,27be40c9d15f7a83b6e2904cf8a1d375,Nghe nói giá gạo tuần sau tăng gấp ba.,1586325600,52,9,31,1",
        "5003,c80a5e1f94d27b36a1f0e8b7536d2c94,Lớp dạy bơi của phường nhận thêm hai mươi em nhỏ.,1587016800,8,0,1,0",
        "5004,63d9f2a7048b1ce5970e4ab82cf61d58,Cầu treo ở bản trên đã sửa xong từ hôm qua.,1588312800,21,4,0,0",
    ),
)
REINTEL_TEST = clean(
    "reintel/posts",
    "public_test.csv",
    re.sub(r",(label|\d)$", "", str(REINTEL_POSTS.right), flags=re.MULTILINE),
)
REINTEL_RUN = clean(
    "reintel/run",
    "results.csv",
    lines("5001,0.12", "5002,0.87", "5003,0.34", "5004,0.08"),
    str(REINTEL_TEST.right),
    REINTEL_TEST.name,
)
REINTEL_ZIP = replace(
    REINTEL_RUN,
    name="submission.zip",
    wrong=zip_of({"results.csv": str(REINTEL_RUN.right)}),
    right=zip_of({"results.csv": str(REINTEL_RUN.right)}),
)
