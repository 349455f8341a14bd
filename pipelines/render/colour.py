"""Colours of a terminal; where there is none, `PLAIN` leaves the text as it is."""

from dataclasses import dataclass

from sharedtask.schemas.rule import Severity

_SEVERITIES = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "36"}
_SPAN = ("⟦", "⟧")


@dataclass(frozen=True, slots=True)
class Palette:
    """Paints parts of a line, or leaves them as they are."""

    is_on: bool

    def severity(self, text: str, severity: Severity) -> str:
        """A text in the colour of a severity."""
        return self._in(text, _SEVERITIES[severity])

    def code(self, text: str) -> str:
        """The code of a rule."""
        return self._in(text, "1")

    def place(self, text: str) -> str:
        """A file with its line."""
        return self._in(text, "2")

    def verdict(self, text: str, *, failed: bool) -> str:
        """The line that says how it went."""
        return self._in(text, "1;31" if failed else "1;32")

    def context(self, text: str) -> str:
        """A text with the span in it marked."""
        before, opening, rest = text.partition(_SPAN[0])
        inside, closing, after = rest.partition(_SPAN[1])
        if not self.is_on or not closing:
            return text
        return f"{before}{self._in(opening + inside + closing, '1;4')}{after}"

    def _in(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.is_on and text else text


PLAIN = Palette(is_on=False)
COLOURED = Palette(is_on=True)
