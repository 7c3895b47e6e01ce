"""Files: data as CSV, Parquet or in LIBSVM's format, models in the library's own and in LIBSVM's format."""

from .csv_chunks import csv_chunks
from .csv_format import read_csv
from .libsvm_format import (
    libsvm_chunks,
    read_libsvm,
    read_libsvm_kernel,
    write_libsvm,
    write_libsvm_kernel,
)
from .libsvm_machine import from_libsvm, load_libsvm_model, save_libsvm_model, to_libsvm
from .libsvm_model import LibsvmModel, read_libsvm_model, write_libsvm_model
from .model_file import load_model, save_model
from .parquet_format import parquet_chunks, read_parquet
from .storable import storable
from .table import Table, read_table, table_format

__all__ = [
    "LibsvmModel",
    "Table",
    "csv_chunks",
    "from_libsvm",
    "libsvm_chunks",
    "load_libsvm_model",
    "load_model",
    "parquet_chunks",
    "read_csv",
    "read_libsvm",
    "read_libsvm_kernel",
    "read_libsvm_model",
    "read_parquet",
    "read_table",
    "save_libsvm_model",
    "save_model",
    "storable",
    "table_format",
    "to_libsvm",
    "write_libsvm",
    "write_libsvm_kernel",
    "write_libsvm_model",
]
