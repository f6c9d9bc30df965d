#!/usr/bin/env bash
# Makes the bucket and the table that the profile `aws` uses. Run by LocalStack once its services
# are up; safe to run again.
set -euo pipefail

bucket="${FIRN_S3_BUCKET:-firn}"
table="${FIRN_DYNAMODB_TABLE:-firn}"

awslocal s3api head-bucket --bucket "$bucket" 2>/dev/null ||
  awslocal s3api create-bucket --bucket "$bucket"

# One on-demand table. Partition key: a whole key, or the directory of a listed one with its leaf as
# the sort key.
awslocal dynamodb describe-table --table-name "$table" >/dev/null 2>&1 ||
  awslocal dynamodb create-table \
    --table-name "$table" \
    --billing-mode PAY_PER_REQUEST \
    --attribute-definitions AttributeName=pk,AttributeType=S AttributeName=sk,AttributeType=S \
    --key-schema AttributeName=pk,KeyType=HASH AttributeName=sk,KeyType=RANGE
awslocal dynamodb wait table-exists --table-name "$table"

touch /tmp/firn-ready
