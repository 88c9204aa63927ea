"""Code of others on the page is byte for byte what they published, and the page stays small."""

import gzip
from hashlib import sha256

from kraftsim.lessons.page_files import FOLDER, page_files

WEIGHT_MAX = 300_000  # bytes of the whole page as they are sent
PUBLISHED = {
    # preact/standalone.module.js of the npm package htm 3.1.1
    "vendor/htm-preact.js": "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7",
}


def test_vendored_files_are_those_of_their_packages() -> None:
    vendored = {
        path: sha256(content).hexdigest()
        for path, content in page_files().items()
        if path.startswith("vendor/")
    }

    assert vendored == PUBLISHED


def test_each_vendored_file_has_its_source_and_licence_beside_it() -> None:
    notes = (FOLDER / "vendor" / "README.md").read_text("utf-8")

    assert [path for path in PUBLISHED if path.rpartition("/")[2] not in notes] == []


def test_the_page_weighs_at_most_300_kilobytes() -> None:
    assert sum(len(gzip.compress(content)) for content in page_files().values()) <= WEIGHT_MAX
