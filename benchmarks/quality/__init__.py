"""The quality of answers, on judged sets, beside other libraries."""
