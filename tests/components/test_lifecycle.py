from spaniel.components.lifecycle import Lifecycle, call_each


class Plain:
    def __init__(self, log):
        self.log = log

    def close(self):
        self.log.append("close")


class Both(Plain):
    async def close_async(self):
        self.log.append("close_async")


class OnlyAsync:
    def __init__(self, log):
        self.log = log

    async def close_async(self):
        self.log.append("close_async")


def test_each_is_closed_in_order_by_the_method_it_has(run):
    log = []
    run(call_each([Plain(log), Both(log), object()], Lifecycle.close))
    assert log in (["close", "close"], ["close", "close_async"])


def test_one_that_has_no_method_for_the_mode_is_left_alone(run):
    log = []
    run(call_each([OnlyAsync(log)], Lifecycle.close))
    assert log in ([], ["close_async"])
