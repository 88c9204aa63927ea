"""One shard's part of one table, as a file of Parquet that is small and quick to read."""

from typing import TYPE_CHECKING

from ..tables import Table
from .commit_log import Folder, Piece, part, sum_of

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_OF_A_GROUP = 512 * 1024  # a group for each run made files more than twice as large
ZSTD_LEVEL = 9  # a tenth smaller than 1; a million rows take a second of the campaign


def write_piece(folder: Folder, number: int, table: Table, rows: "pa.Table") -> Piece:
    """`rows` as `table.schema()` says them."""
    import pyarrow.parquet as pq

    encodings = {one.name: one.encoding for one in table.columns if one.encoding}
    with folder.new_file(part(table.name, number)) as path:
        pq.write_table(
            rows,
            path,
            compression="zstd",
            compression_level=ZSTD_LEVEL,
            row_group_size=ROWS_OF_A_GROUP,
            use_dictionary=[one for one in table.names if one not in encodings],
            column_encoding=encodings,
            write_statistics=["seed"],  # by which files are passed over
            store_schema=False,  # tables.py is what says it
        )
        return Piece(rows.num_rows, path.stat().st_size, sum_of(path))
