from hypothesis import settings

settings.register_profile("unhurried", deadline=None)  # a slow machine is no fault of the code
settings.load_profile("unhurried")
