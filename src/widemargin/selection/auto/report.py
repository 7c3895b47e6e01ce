"""What a machine chose for itself, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape


@dataclass
class Report:
    """Sentences by topic, in the order in which the choices were made."""

    title: str = ""
    sentences: dict[str, str] = field(default_factory=dict)

    def say(self, topic: str, sentence: str) -> None:
        """Add a sentence."""
        known = self.sentences.get(topic)
        self.sentences[topic] = sentence if known is None else f"{known} {sentence}"

    def __str__(self) -> str:
        width = max((len(topic) for topic in self.sentences), default=0)
        lines = [f"  {topic:<{width}}  {sentence}" for topic, sentence in self.sentences.items()]
        return "\n".join([self.title, *lines])

    def html(self) -> str:
        """The same as a table."""
        rows = "".join(
            f"<tr><th style='text-align:left'>{escape(topic)}</th>"
            f"<td style='text-align:left'>{escape(sentence)}</td></tr>"
            for topic, sentence in self.sentences.items()
        )
        return f"<table><caption>{escape(self.title)}</caption>{rows}</table>"
