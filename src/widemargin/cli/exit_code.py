"""What the command line tells the shell."""

SUCCESS = 0
USER_ERROR = 2
INTERRUPTED = 130
