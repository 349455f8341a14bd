"""Synthetic text and seeded choices for sample files: own words, and expressions of the row number instead of loops.

A `Dice` gives each row its numbers by arithmetic on the row number, so a row is the same whatever the batch, the thread
or the Polars version, and a table of any length is made as a stream. The sentences of a pool are pairwise different.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import polars as pl

_MASK = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # the constants of splitmix64


def numbered(count: int, first: int = 0) -> pl.DataFrame:
    """One column `row`: `count` consecutive Int64 numbers from `first`."""
    return pl.DataFrame({"row": pl.int_range(first, first + count, eager=True)})


@dataclass(frozen=True)
class Dice:
    """Pseudo-random expressions of the column `row`; each `name` is an independent series of throws."""

    seed: int
    row: str = "row"

    def bits(self, name: str) -> pl.Expr:
        """64 evenly spread bits as UInt64 (splitmix64), different for any two rows: sorting by them shuffles."""
        salt = (self.seed * 0x1_0000_0001 + zlib.crc32(name.encode())) * _FIRST
        mixed = pl.col(self.row).cast(pl.UInt64) * _word(_STEP) + _word(salt)
        mixed = (mixed ^ (mixed // _word(1 << 30))) * _word(_FIRST)
        mixed = (mixed ^ (mixed // _word(1 << 27))) * _word(_SECOND)
        return mixed ^ (mixed // _word(1 << 31))

    def below(self, name: str, limit: int) -> pl.Expr:
        """An Int64 from 0 to `limit` - 1."""
        return (self.bits(name) % _word(limit)).cast(pl.Int64)

    def chance(self, name: str, percent: int) -> pl.Expr:
        """True in about `percent` of 100 rows."""
        return self.below(name, 100) < percent

    def pick(self, name: str, values: Sequence[str]) -> pl.Expr:
        """One of the `values`."""
        return pl.lit(pl.Series(name, values, dtype=pl.String)).gather(self.below(name, len(values)))


def listed(text: str) -> list[str]:
    """The phrases of a list with `|` between them; plain spaces and line ends around them do not count."""
    return [phrase.strip(" \n") for phrase in text.split("|")]


def english() -> list[str]:
    """3,600 ASCII sentences without their full stop, on relief work."""
    who = """The health team | A mobile clinic | The water committee | One partner | The camp office | A local council
        | The shelter group | Most families | The school board | Two agencies"""
    did = "reported a lack of | asked for | handed out | ran short of | repaired the store of | counted"
    what = """clean water | winter tents | school books | seed and tools | safe routes | vaccines | fuel, food and rope
        | latrines | high-energy biscuits | trained staff | radio sets | warm clothes"""
    where = """in the northern hills | along the river | near the old market | at the eastern crossing
        | in five villages"""
    return [" ".join(words) for words in product(*map(listed, (who, did, what, where)))]


def spanish_facts() -> list[str]:
    """600 Spanish phrases of verb and object; some hold a no-break space, curly or straight quotes, or a slash."""
    did = listed(
        "abrió | cerró | anunció | defendió | revisó | aplazó | amplió | presentó | visitó | pagó | explicó | midió"
    )
    what = listed("""un puesto de fruta | la biblioteca infantil | el plan de riego | las obras del puente
        | un aula de música | el servicio nocturno 24/7 | el 20\xa0% de las ayudas | la muestra “Luz y barro”
        | una red de huertos | el carril bici""")
    rest = ["", " de la comarca", " municipal (segunda fase)", ' con su "buzón de ideas"', " llamado 'Ñandú'"]
    return [f"{verb} {noun}{more}" for verb, noun, more in product(did, what, rest)]


def vietnamese() -> list[str]:
    """2,400 Vietnamese sentences in NFC, without a full stop."""
    when = listed("Sáng nay | Chiều qua | Từ đầu tháng | Hôm thứ bảy | Theo người dân")
    who = """tổ dân phố | một nhóm sinh viên | trạm y tế xã | bà con tiểu thương | câu lạc bộ đọc sách
        | hợp tác xã rau sạch"""
    did = "đã phát miễn phí | đang nhận đăng ký | vừa kiểm tra | tạm dừng bán | kêu gọi góp thêm"
    what = """khẩu trang vải | nước rửa tay | gạo và trứng | sách cũ | vé xe buýt | hạt giống | thuốc ho thảo dược
        | cây ăn quả"""
    where = "ở chợ Mới | bên bờ sông"
    return [f"{day}, {' '.join(words)}" for day, *words in product(when, *map(listed, (who, did, what, where)))]


def _word(value: int) -> pl.Expr:
    return pl.lit(value & _MASK, dtype=pl.UInt64)
