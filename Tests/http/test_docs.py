"""The pages in docs/ name what is there."""

import json
import re

import pytest

from service import REPOSITORY

PAGES = sorted((REPOSITORY / "docs").glob("*.md"))
ARCHITECTURE = (REPOSITORY / "docs/architecture.md").read_text()
API = json.loads((REPOSITORY / "web/openapi.json").read_text())
FOLDERS = "Sources|Tests|docs|fixtures|scripts|web|bench"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page):
    text = page.read_text()
    named = re.findall(rf"`((?:{FOLDERS})/[^`\s*…{{}}]+)`", text)
    linked = [link for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", text)]
    missing = [name for name in named if not (REPOSITORY / name).exists()]
    missing += [link for link in linked if not (page.parent / link).exists()]
    assert missing == []


#: What a user or a reader of the source may be sent to other pages from.
TEXTS = [file for folder in ("Sources", "docs", "web", "bench", "Tests") for file in (REPOSITORY / folder).rglob("*")
         if file.suffix in (".swift", ".md", ".py", ".js", ".json", ".html", ".h", ".cpp")]
#: A page of another project that a source cites.
FOREIGN_PAGES = {"doc/tape.md"}


def test_no_text_sends_a_reader_to_a_page_that_is_not_there():
    missing = []
    for file in [*TEXTS, *REPOSITORY.glob("*.md")]:
        for page in set(re.findall(r"[\w./-]*\w\.md\b", file.read_text(errors="replace"))) - FOREIGN_PAGES:
            folders = (REPOSITORY, file.parent, REPOSITORY / "docs", REPOSITORY / "bench")
            if not any((folder / page).exists() for folder in folders):
                missing.append(f"{file.relative_to(REPOSITORY)}: {page}")
    assert missing == []


def test_the_architecture_names_files_and_every_target():
    assert len(set(re.findall(r"`Sources/[^`]+\.swift`", ARCHITECTURE))) > 50
    package = (REPOSITORY / "Package.swift").read_text()
    targets = re.findall(r'(?:module|library)\(\s*"(\w+)"', package)
    targets += re.findall(r'arget\(\s*name: "(\w+)"', package)
    targets += [name + "Tests" for name in re.findall(r'tests\(\s*of: "(\w+)"', package)]
    assert len(targets) > 20
    assert [name for name in targets if f"`{name}`" not in ARCHITECTURE] == []


def test_a_target_of_the_architecture_is_one():
    package = (REPOSITORY / "Package.swift").read_text()
    rows = re.findall(r"^\| (`.*?) \|", ARCHITECTURE.split("## A point")[0], re.MULTILINE)
    for name in re.findall(r"`(\w+)`", " ".join(rows)):
        assert f'"{name.removesuffix("Tests")}"' in package, name


def test_the_settings_are_those_that_the_service_takes():
    page = (REPOSITORY / "docs/configuration.md").read_text()
    folder = REPOSITORY / "Sources/GeoService"
    sources = [folder / "App/Configuration.swift", *folder.glob("Accounts/AccountSettings*.swift")]
    source = "".join(file.read_text() for file in sources)
    listed = re.findall(r"^\| `(GEOSERVICE_\w+)` \|", page, re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == set(re.findall(r'case "(GEOSERVICE_\w+)"', source))


#: For each table of parameters of a page, in their order, the address that it is about.
PARAMETER_TABLES = {
    "clusters.md": ["/clusters/{layer}"], "hotspots.md": ["/hotspots/{layer}"],
    "proximity.md": ["/near/{layer}", "/within/{layer}", "/aggregate/{layer}"],
    "directions.md": [f"/{name}/v1/{{profile}}/{{coordinates}}"
                      for name in ("route", "table", "trip", "nearest")]}


def first_column(page, head):
    """The code in the first column of each table of a page that has this head."""
    tables = page.split(f"\n{head}\n")[1:]
    rows = [table.split("\n\n")[0].splitlines()[1:] for table in tables]
    return [re.findall(r"`([\w.]+)`", " ".join(row.split("|")[1] for row in table))
            for table in rows]


def query_parameters(template):
    names = [API["components"]["parameters"][parameter["$ref"].split("/")[-1]]
             if "$ref" in parameter else parameter
             for parameter in API["paths"][template]["get"]["parameters"]]
    return sorted(parameter["name"] for parameter in names if parameter["in"] == "query")


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_the_parameters_are_those_that_an_address_takes(name):
    tables = first_column((REPOSITORY / "docs" / name).read_text(), "| parameter | meaning |")
    assert list(map(sorted, tables)) == list(map(query_parameters, PARAMETER_TABLES.get(name, [])))


def test_the_settings_of_a_layer_are_those_that_it_takes():
    (listed,) = first_column(
        (REPOSITORY / "docs/layers.md").read_text(), "| member | what it is | unset |")
    members = API["components"]["schemas"]["LayerSettings"]["properties"]
    taken = [
        f"{name}.{inner}" if inner else name
        for name, member in members.items() for inner in member.get("properties", {None: None})]
    assert sorted(listed) == sorted(taken)


def test_the_packages_are_those_that_are_installed():
    page = (REPOSITORY / "docs/dependencies.md").read_text()
    lists = re.split(r"^\[(\w+)\]$", (REPOSITORY / "scripts/packages.txt").read_text(), flags=re.M)
    listed = {name: {line for line in text.split("\n") if line and not line.startswith("#")}
              for name, text in zip(lists[1::2], lists[2::2])}
    named = set(re.findall(r"`([a-z0-9][a-z0-9.+-]+)`", page))
    everything = set().union(*listed.values())
    assert everything - named == set()
    packages = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
    assert set(re.findall(r"`([^`]+)`", " ".join(packages))) <= everything
