"""The Markdown that readings, captions and reasons are written in, as HTML: what they use of it and no more."""

import html
import re

_BLOCKS = re.compile(r"\n\s*\n")
_CODE = re.compile(r"(`[^`\n]+`)")


def inline(text: str) -> str:
    """A line: code, bold, italics and links; links to other files of the repository, which a page alone has not, are
    words."""
    codes = [f"<code>{html.escape(code[1:-1])}</code>" for code in _CODE.findall(text)]
    # code stays as it is, also in the middle of bold words
    words = _words(_CODE.sub("\0", text)).split("\0")
    return "".join(word + code for word, code in zip(words, [*codes, ""], strict=True))


def blocks(text: str) -> str:
    """Paragraphs, lists, headings and lines of three dashes."""
    return "\n".join(_block(part.strip("\n")) for part in _BLOCKS.split(text.strip()) if part.strip())


def _words(text: str) -> str:
    text = html.escape(text, quote=False)
    text = re.sub(r"\[([^\]]+)\]\((https?://[^)\s]+|#[^)\s]+)\)", r'<a href="\2">\1</a>', text)
    text = re.sub(r"\[([^\]]+)\]\([^)\s]+\)", r"\1", text)
    # a star between spaces is a product
    text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text, flags=re.DOTALL)
    return re.sub(r"(?<![\w*])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![\w*])", r"<em>\1</em>", text, flags=re.DOTALL)


def _block(text: str) -> str:
    if heading := re.fullmatch(r"(#{1,6}) (.+)", text):
        level = min(6, len(heading[1]) + 2)
        return f"<h{level}>{inline(heading[2])}</h{level}>"
    if re.fullmatch(r"-{3,}", text):
        return "<hr>"
    # a list may follow its first words without an empty line
    first, *entries = re.split(r"(?:^|\n)[*-] ", text)
    said = f"<p>{inline(first)}</p>" if first.strip() else ""
    listed = "".join(f"<li>{inline(entry)}</li>" for entry in entries)
    return said + (f"<ul>{listed}</ul>" if entries else "")
