/** Help text of each command. */
export const helpOf = {
  listen: `gatehouse listen: show a bot's webhooks in this terminal

Usage: GATEHOUSE_RUNTIME_KEY=svc_rk_… gatehouse listen --url <api url> --bot <bot id> [options]
In a checkout of Gatehouse, gatehouse is node bin/gatehouse.mjs.

  --url      API URL of the service, such as https://api.example.com or ws://localhost:3001
  --bot      ID of the bot
  --forward  URL to post each webhook to, such as http://localhost:8080/hook. It gets the same body and
             headers, and gatehouse-event-id, gatehouse-attempt, gatehouse-flow-id and gatehouse-path.
  --path     <webhook path>=<URL>: posts the webhooks of this path there instead. Can be repeated. With
             --forward, a path on its server is enough: --path orders=/api/orders
  --take     Take webhooks out of the queue as a runtime does, instead of showing copies

GATEHOUSE_RUNTIME_KEY must be a runtime key that may host the bot. It can't be given on the command line,
where other users can read it. In bash, \`read -rs GATEHOUSE_RUNTIME_KEY; export GATEHOUSE_RUNTIME_KEY\` keeps
it out of the history too.

By default, it shows copies of the webhooks that arrive while it is connected. The bot's runtime keeps
running, and your server's response has no effect.

With --take, each webhook goes either here or to the bot's real runtime, one at a time. A 2xx response from
your server acknowledges it. Any other response, or none, is a failed attempt and is retried. A webhook that
isn't forwarded is acknowledged once it has been shown. Press Ctrl-C to stop: unfinished webhooks go back to
the queue.

Bot status stays what the real runtime reports.

Example
  gatehouse listen --url http://localhost:3001 --bot lantern --forward http://localhost:8080/hook
`,
  send: `gatehouse send: send a sample webhook and print the response

Usage: gatehouse send <webhook url> [options]
In a checkout of Gatehouse, gatehouse is node bin/gatehouse.mjs.

  -d, --data    the body: text, @<file>, or @- for standard input. By default, a JSON sample with an id of its own
  -H, --header  <name>: <value>. Can be repeated
  --sign        sign as this sender does: github, stripe, slack, shopify, standard-webhooks, token or hmac

With --sign token
  --signature-header            name of the header with the token

With --sign hmac
  --signature-header            name of the header with the signature
  --signature-hash              sha1, sha256 (default) or sha512
  --signature-encoding          hex (default) or base64
  --signature-prefix            text before the signature, such as sha256=
  --signature-signed            signed text with {timestamp} and {body}; {body} by default
  --signature-timestamp-header  name of the header with the timestamp
  --signature-timestamp-part    name of the timestamp in the signature's header, as t in t=1700000000,v1=...

If the flow requires a key, set GATEHOUSE_FLOW_KEY. To sign, set GATEHOUSE_SIGNING_SECRET to the secret that the flow
has. Neither can be given on the command line, where other users can read it.

The exit code is 0 if the webhook was accepted, otherwise 1.

Example
  gatehouse send http://localhost:3001/lantern/deploys --data @deploy.json
`,
  status: `gatehouse status: print a bot's public status

Usage: gatehouse status <status page url> [options]
In a checkout of Gatehouse, gatehouse is node bin/gatehouse.mjs.

  --json  print the response of the bot status API as it is

The exit code is 0 if the bot is online, 3 if it is offline, and 1 if its status can't be read.

Example
  gatehouse status http://localhost:3000/botstatus/lantern
`,
} as const
