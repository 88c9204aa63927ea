"""The same views on DuckDB, which shares no code with Spark: what both say is in the files."""

from typing import Any

import duckdb

from kraftsim.pipeline.analysis.views import Query, committed_files, definitions
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.tables import TABLES

Rows = dict[str, Any]


def duck(*folders: tuple[Folder, str]) -> "Duck":
    """Views of each campaign, their names after its prefix."""
    found = Duck()
    for folder, prefix in folders:
        found.define(folder, prefix)
    return found


class Duck:
    def __init__(self) -> None:
        self.database = duckdb.connect(config={"threads": 1})
        self.database.execute(
            "create macro get_json_object(json, path) as json_extract_string(json, path)"
        )

    def define(self, folder: Folder, prefix: str = "") -> None:
        for name, table in TABLES.items():
            self.database.register(f"{prefix}empty_{name}", table.schema().empty_table())
            files = committed_files(folder, table)
            of_files = f"union all select * from read_parquet({files!r})" if files else ""
            text = f"select * from {prefix}empty_{name} {of_files}"
            self.database.execute(f"create or replace temp view {prefix}{name} as {text}")
        for text in definitions(folder.plan(), prefix, "unnest"):
            self.database.execute(text)

    @property
    def ask(self) -> Query:
        def answer(query: str) -> list[Rows]:
            done = self.database.execute(query)
            names = [column[0] for column in done.description]
            return [dict(zip(names, row, strict=True)) for row in done.fetchall()]

        return answer

    def tamper(self, name: str, statement: str) -> None:
        """From here on that table is a copy of it, called `tampered`, which a statement changes."""
        self.database.execute(f"create table tampered as select * from {name}")
        self.database.execute(statement)
        self.database.execute(f"create or replace temp view {name} as select * from tampered")
