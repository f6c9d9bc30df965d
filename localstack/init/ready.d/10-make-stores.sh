#!/usr/bin/env bash
# Makes the bucket and the table that the profile `aws` uses, as `firn storage init` does. Run by
# LocalStack once its services are up; safe to run again.
set -euo pipefail

bucket="${FIRN_S3_BUCKET:-firn}"
table="${FIRN_DYNAMODB_TABLE:-firn}"

awslocal s3api head-bucket --bucket "$bucket" >/dev/null 2>&1 ||
  awslocal s3api create-bucket --bucket "$bucket" >/dev/null

# One on-demand table: `p` is a whole key, or the directory of a listed one with its leaf as `s`.
awslocal dynamodb describe-table --table-name "$table" >/dev/null 2>&1 ||
  awslocal dynamodb create-table \
    --table-name "$table" \
    --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=p,AttributeType=S AttributeName=s,AttributeType=S \
    --key-schema AttributeName=p,KeyType=HASH AttributeName=s,KeyType=RANGE >/dev/null
awslocal dynamodb wait table-exists --table-name "$table"

# Tombstones and receipts past their life go by themselves.
ttl="$(awslocal dynamodb describe-time-to-live --table-name "$table" \
  --query TimeToLiveDescription.TimeToLiveStatus --output text)"
if [[ "$ttl" != ENABLED && "$ttl" != ENABLING ]]; then
  awslocal dynamodb update-time-to-live --table-name "$table" \
    --time-to-live-specification Enabled=true,AttributeName=t >/dev/null
fi

touch "${FIRN_READY_FILE:-/tmp/firn-ready}"
