"""Pictures inside the page: nothing is loaded from elsewhere, nothing in a picture can run."""

from __future__ import annotations

import re
from base64 import b64encode
from xml.etree import ElementTree

from markupsafe import Markup

_PNG = b"\x89PNG\r\n\x1a\n"
_RUNS = {"script", "foreignObject", "iframe", "animate", "set"}


def embed(image: str | bytes, alt: str, prefix: str) -> Markup:
    """Return the element that shows an image in the page.

    Parameters
    ----------
    image : str or bytes
        An ``<svg>`` element, or the bytes of a PNG file.
    alt : str
        What the picture shows, for those who do not see it.
    prefix : str
        Set before the ids inside an SVG, which would else clash with those of its neighbours.
    """
    if isinstance(image, bytes):
        if not image.startswith(_PNG):
            raise ValueError(
                f"the image for {prefix!r} begins with {image[:8]!r}, which is no PNG file; give "
                "PNG bytes or the text of an SVG."
            )
        data = b64encode(image).decode("ascii")
        return Markup('<img src="data:image/png;base64,{}" alt="{}">').format(data, alt)
    try:
        root = ElementTree.fromstring(image)
    except ElementTree.ParseError as error:
        raise ValueError(
            f"the SVG for {prefix!r} is not well formed ({error}); make it with "
            "palacs.plots.to_svg."
        ) from error
    for element in root.iter():
        _make_local(element, prefix)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib.update({"role": "img", "aria-label": alt})
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _make_local(element: ElementTree.Element, prefix: str) -> None:
    """Drop namespaces, which HTML does without, prefix ids, and refuse what loads or runs."""
    element.tag = _local(element.tag)
    if element.tag in _RUNS:
        raise ValueError(
            f"the SVG for {prefix!r} has a <{element.tag}> element; pictures must be still."
        )
    attributes = {_local(name): value for name, value in element.attrib.items()}
    element.attrib.clear()
    for name, value in attributes.items():
        outside = name == "href" and not value.startswith(("#", "data:image/png;base64,"))
        if outside or name.startswith("on") or re.search(r"url\((?!#)", value):
            raise ValueError(
                f"the SVG for {prefix!r} has {name}={value[:60]!r}; pictures must not run "
                "anything or load from elsewhere."
            )
        if name == "id":
            value = f"{prefix}-{value}"
        elif name == "href" and value.startswith("#"):
            value = f"#{prefix}-{value[1:]}"
        element.attrib[name] = value.replace("url(#", f"url(#{prefix}-")


def _local(name: str) -> str:
    return name.rpartition("}")[2]
