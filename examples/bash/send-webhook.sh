#!/usr/bin/env bash
# Sends standard input to a bot as a webhook, for example from a deployment:
#   echo '{"channel": "deploys", "text": "Version 7 is out"}' | ./send-webhook.sh
set -euo pipefail
: "${WEBHOOK_URL:?is the URL on the page of the flow}"

# Passes the key through a file descriptor, because other users of this machine can read a command's arguments.
headers() { [ -z "${GATEHOUSE_FLOW_KEY:-}" ] || printf 'svc-key: %s\n' "$GATEHOUSE_FLOW_KEY"; }

body=$(mktemp) answer=$(mktemp)
trap 'rm -f "$body" "$answer"' EXIT
[ ! -t 0 ] || echo 'Type the body, then press Ctrl-D.' >&2
cat >"$body"
# Retries after 408, 500, 503 and lost connections, and waits as long as Retry-After says. All attempts have the same
# x-request-id, by which the flow can deduplicate them.
status=$(curl --silent --show-error --output "$answer" --write-out '%{http_code}' \
  --retry 5 --retry-connrefused --max-time 30 \
  --header @<(headers) --header "x-request-id: $(date +%s)-$$-$RANDOM" --header 'content-type: application/json' \
  --data-binary "@$body" "$WEBHOOK_URL")

case $status in
  202) echo 'Stored. The bot will receive it, even if it is offline now.' ;;
  401) echo 'Rejected: GATEHOUSE_FLOW_KEY is missing or wrong.' >&2 ;;
  404) echo 'Rejected: no flow listens at WEBHOOK_URL.' >&2 ;;
  413) echo 'Rejected: the body is larger than 1 MiB.' >&2 ;;
  *) echo "Not stored: HTTP $status $(cat "$answer")" >&2 ;;
esac
[ "$status" = 202 ]
