"""What machines become without one of their points: exact leave-one-out."""

from widemargin.deletion.leaving_out import LeaveOneOut, leave_one_out

__all__ = ["LeaveOneOut", "leave_one_out"]
