"""Writes the rows of one shard and one table as a Parquet file that is small and fast to read."""

from typing import TYPE_CHECKING

from ..tables import Table
from .commit_log import Folder, Piece, part, sum_of

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_OF_A_GROUP = 512 * 1024  # one group per run would more than double the file size
ZSTD_LEVEL = 9  # 10 % smaller than level 1; compressing a million rows takes 1 s


def write_piece(folder: Folder, number: int, table: Table, rows: "pa.Table") -> Piece:
    """Writes `rows`, which have the schema `table.schema()`, as the part of shard `number`."""
    import pyarrow.parquet as pq

    encodings = {column.name: column.encoding for column in table.columns if column.encoding}
    with folder.new_file(part(table.name, number)) as path:
        pq.write_table(
            rows,
            path,
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            row_group_size=ROWS_OF_A_GROUP,
            use_dictionary=[name for name in table.names if name not in encodings],
            column_encoding=encodings,
            write_statistics=["seed"],  # lets readers skip files
            store_schema=False,  # readers use the schema of tables.py
        )
        return Piece(rows.num_rows, path.stat().st_size, sum_of(path))
