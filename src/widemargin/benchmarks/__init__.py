"""The benchmark behind `widemargin bench`: the same problems for this library and for its peers."""
