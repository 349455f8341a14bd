"""The sizes of the parts that `splits make` writes, as a user gives them, and what stays together or in proportion."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from sharedtask.converters.errors import UnusableError

UNITS = ("rows", "documents", "spans")
METHODS = ("random", "stratified")
_NAME = r"[A-Za-z0-9][\w.-]*"
_NEAR_ONE = Fraction(1, 10**6)


@dataclass(frozen=True, slots=True)
class Plan:
    """`parts` are names and sizes: fractions of 1, or whole numbers of `by`.

    A stratified plan without `stratify` uses the labels of the kind.
    """

    parts: tuple[tuple[str, Fraction], ...]
    seed: int
    by: str = "rows"
    group_by: str | None = None
    stratify: str | None = None
    method: str = "random"
    shared_texts: bool = False

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.parts]

    @property
    def in_fractions(self) -> bool:
        return all(size < 1 for _, size in self.parts)

    def targets(self, total: int) -> list[int]:
        """How much of `total` each part gets. Raises UnusableError where numbers do not add up to it."""
        if self.in_fractions:
            return whole_shares(total, [size for _, size in self.parts])
        wanted = sum(size for _, size in self.parts)
        if wanted != total:
            raise UnusableError(f"the sizes add up to {wanted}, but the file has {total} {self.by}")
        return [int(size) for _, size in self.parts]


def whole_shares(total: int, weights: Sequence[Fraction]) -> list[int]:
    """Whole numbers that add up to `total` in proportion to the weights.

    What rounding leaves goes to the largest remainders.
    """
    exact = [total * weight / sum(weights) for weight in weights]
    shares = [int(share) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda at: shares[at] - exact[at])
    for at in by_remainder[: total - sum(shares)]:
        shares[at] += 1
    return shares


def parse_plan(
    sizes: str,
    *,
    seed: int,
    by: str,
    group_by: str | None,
    stratify: str | None,
    method: str | None,
    shared_texts: bool,
) -> Plan:
    """A plan from `train=.7,dev=.1,test=.2` and the other wishes. Raises UnusableError where they make no sense."""
    if by not in UNITS:
        raise UnusableError(f"by is {by!r}; expected one of {', '.join(UNITS)}")
    if method is not None and method not in METHODS:
        raise UnusableError(f"method is {method!r}; expected one of {', '.join(METHODS)}")
    if method == "random" and stratify:
        raise UnusableError("the method random has no strata; leave out --stratify, or use --method stratified")
    parts = tuple(_part(item) for item in sizes.split(","))
    names = [name.lower() for name, _ in parts]
    if len(parts) < 2 or len(set(names)) < len(names):
        raise UnusableError(f"sizes is {sizes!r}; expected two or more parts, each named once")
    total = sum((size for _, size in parts), Fraction(0))
    fractions = [size < 1 for _, size in parts]
    if any(fractions) and (not all(fractions) or abs(total - 1) > _NEAR_ONE):
        raise UnusableError(f"the sizes {sizes} add up to {float(total):g}; expected 1")
    if not any(fractions) and any(size.denominator > 1 for _, size in parts):
        raise UnusableError(f"the sizes are {sizes}; expected fractions of 1 or whole numbers")
    chosen = method or ("stratified" if stratify else "random")
    return Plan(parts, seed, by, group_by, stratify, chosen, shared_texts)


def _part(item: str) -> tuple[str, Fraction]:
    name, equals, size = (word.strip() for word in item.partition("="))
    if not equals or not re.fullmatch(_NAME, name):
        raise UnusableError(f"sizes has {item!r}; expected a part and its size, such as train=.7")
    try:
        share = Fraction(size)
    except (ValueError, ZeroDivisionError):
        raise UnusableError(f"the size of {name} is {size!r}; expected a fraction or a number") from None
    if share <= 0:
        raise UnusableError(f"the size of {name} is {size}; expected more than 0")
    return name, share
