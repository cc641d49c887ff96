import pytest

from .models import MODELS, fitted


@pytest.fixture(params=list(MODELS))
def any_model(request):
    return fitted(request.param)
