# SPDX-License-Identifier: Apache-2.0
"""The site's pages beside those of docs/: the README as its first, the files at the top of the repository, and every
file that a page links to outside docs/, shown as it is; in the navigation, Doxygen's pages of the headers. The pages
themselves are those that people read in the repository; their links are rewritten here."""
import os
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File
from mkdocs.structure.nav import Link

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
         "SECURITY.md": "security.md"}
HEADERS = "headers/index.html"  # Doxygen writes it beside the site, when that is built: to MkDocs it is no page
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cu": "cpp", ".hip": "cpp", ".py": "python", ".sh": "bash", ".json": "json"}
LINK = re.compile(r"(\]\()([^)#\s]*)(#[^)]*)?\)")


def outside_code(markdown, change):
    """The text with `change` applied to what stands outside blocks of code, piece by piece."""
    pieces = re.split(r"(?ms)(^```.*?^```$|^ {4}.*?$)", markdown)
    return "".join(change(piece) if i % 2 == 0 else piece for i, piece in enumerate(pieces))


def is_relative(target):
    return bool(target) and not re.match(r"[a-z]+:", target)


def site_page(path):
    """The page of a file of the repository, by its path from the top."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path[len("docs/"):]
    return f"source/{path.rstrip('/')}.md"


def linked(page, text):
    """Paths from the top of the repository to which a page leads."""
    found = []

    def note(match):
        if is_relative(match[2]):
            found.append(posixpath.normpath(posixpath.join(posixpath.dirname(page), match[2])))
        return match[0]

    outside_code(text, lambda text: LINK.sub(note, text))
    return found


def shown(path):
    """The page that shows a file or folder of the repository."""
    at = ROOT / path
    if at.is_dir():
        rows = "\n".join(f"- `{name}`" for name in sorted(os.listdir(at)))
        return f"# {path}\n\n{rows}\n"
    text = at.read_text()
    if at.suffix == ".md" or at.name == "LICENSE":
        return f"# {path}\n\n````text\n{text}\n````\n"
    return f"# {path}\n\n```{LANGUAGES.get(at.suffix, 'text')}\n{text}\n```\n"


def on_files(files, config):
    sources = {f"docs/{f.src_uri}": (Path(config.docs_dir) / f.src_uri).read_text()
               for f in files if f.src_uri.endswith(".md") and f.inclusion.is_included()}
    for path, page in PAGES.items():
        sources[path] = (ROOT / path).read_text()
        files.append(File.generated(config, page, content=sources[path]))
    wanted = {target for page, text in sources.items() for target in linked(page, text)}
    for path in sorted(wanted):
        page = site_page(path)
        if page.startswith("source/") and (ROOT / path).exists():
            files.append(File.generated(config, page, content=shown(path)))
    return files


def on_nav(nav, config, files):
    reference = next(item for item in nav.items if item.title == "Reference")
    link = Link("Headers", HEADERS)
    link.parent = reference
    reference.children.append(link)
    return nav


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if uri.startswith("source/"):
        return markdown
    path = next((path for path, name in PAGES.items() if name == uri), f"docs/{uri}")

    def rewritten(match):
        if not is_relative(match[2]):
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
        there = posixpath.relpath(site_page(target), posixpath.dirname(uri) or ".")
        return f"{match[1]}{there}{match[3] or ''})"

    # Python-Markdown takes a list for one only behind an empty line.
    text = outside_code(markdown, lambda text: LINK.sub(rewritten, text))
    return re.sub(r"(?m)^(?![-|>#`\s])(.+)\n(?=- )", r"\1\n\n", text)
