"""What a row of the dataset holds beside responses_create_params."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class TaskData(BaseModel):
    """A row's label: an item without its response, or a reference to a task that the
    daemon has loaded, as a string of JSON."""

    model_config = ConfigDict(extra="allow")

    label: Any = Field(description="The task, as plumb reads it.", json_schema_extra={"consumed_by": ["verify"]})
