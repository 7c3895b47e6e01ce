"""`python -m widemargin` is the command line."""

from widemargin.cli import main

raise SystemExit(main())
