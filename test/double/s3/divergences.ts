/** Facts that a server which stands in for S3 does not share, and what it does instead. */
export const DIVERGENCES: Readonly<
  Record<"LocalStack" | "MiniStack" | "versitygw", Readonly<Record<string, string>>>
> = {
  LocalStack: {
    "a delete of many carries a digest": "does not ask for one",
  },
  MiniStack: {
    "If-None-Match takes nothing but *": "takes an etag, which the adapter never sends",
    "a key has at most 1,024 bytes": "holds longer keys; the adapter refuses them before",
    "a delete of many carries a digest": "does not ask for one",
    "parts come in order": "puts them in order itself",
    "a part but the last has 5 MiB": "takes parts of any size",
  },
  versitygw: {
    "a key has at most 1,024 bytes": "keeps objects as files, whose names have 255 bytes at most",
    "a quiet delete of many names nothing": "answers as if it was not quiet",
    "keys are encoded as forms are where that is asked for": "does not encode, and says so",
    "a list says that its keys are encoded": "does not encode, and says so",
  },
};
