"""Kernel machines that train exactly, fast, and with a certificate."""

__version__ = "0.1.0"
