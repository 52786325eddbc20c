import numpy as np
import pytest
from haystack.utils import expand_page_range as haystack_expand
from haystack.utils import expit as haystack_expit

from spaniel.utils import expand_page_range, expit


@pytest.mark.parametrize("pages", [["1-3", "5", 8], [2], ["10-10"], ["0-1", "1-2"]])
def test_expands_page_ranges_as_haystack_does(pages):
    assert expand_page_range(pages) == haystack_expand(pages)


@pytest.mark.parametrize("pages", [[], ["a"], ["3-1"], [-3], ["1-b"], ["1-2-3"], [" 1"]])
def test_rejects_invalid_page_ranges_as_haystack_does(pages):
    for expand in (expand_page_range, haystack_expand):
        with pytest.raises(ValueError, match="page"):
            expand(pages)


def test_expit_is_that_of_haystack():
    numbers = np.array([-3.0, 0.0, 2.5])
    assert (expit(numbers) == haystack_expit(numbers)).all()
    assert expit(1.5) == haystack_expit(1.5)
