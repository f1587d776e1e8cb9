import type { DemoData } from './provision.ts'

/** Returns the text that the demo prints once everything is running: URLs, credentials and commands to paste. */
export function guide(demo: {
  addresses: { base: string; api: string; portal: string; control: string }
  application: string
  operatorKey: string
  provisioned: DemoData
}): string {
  const { addresses, application, operatorKey, provisioned } = demo
  const { base, api, portal, control } = addresses
  const { person, bot, webhooks, examples } = provisioned
  const consent = new URL(`${base}/auth/consent`)
  consent.search = new URLSearchParams({
    client_id: examples.clientId,
    redirect_uri: `${portal}/show-code`,
    response_type: 'code',
    scope: 'user.identify bots.read',
    state: 'try',
  }).toString()

  return `
Gatehouse is ready. Open in a browser:

  Client application   ${application}
  Account and sign-in  ${base}/account
  Developer portal     ${portal}
  Bot status           ${base}/botstatus/${bot.id}

Sign in as

  Email     ${person.email}
  Password  ${person.password}
  PIN       ${person.pin}

Or paste these commands:

  # webhooks without and with a flow key; the bot runtime prints them below
  curl -i ${api}${webhooks.open} -d 'Version 7 is out'
  curl -i ${api}${webhooks.keyed} -H 'svc-key: ${webhooks.key}' -d 'Disk full'

  # public bot status
  curl -i ${base}/botstatus/${bot.chatPlatformId}/api

  # gateway health, and the OpenAPI document
  curl -i ${api}/health
  curl ${api}/openapi.json

  # tokens: open this URL in a browser; the page shows the curl command that redeems the code, with the variables below
  ${consent.href}

  # control API, for the platform
  curl ${control}/v1/bots/${bot.id} -H 'Authorization: Bearer ${operatorKey}'

To run a program of examples/ or follow a guide, paste this into its terminal:

  export GATEHOUSE_ISSUER=${base} CLIENT_ID=${examples.clientId} CLIENT_SECRET=${examples.clientSecret}
  export GATEHOUSE_URL=${api} GATEHOUSE_RUNTIME_KEY=${examples.runtimeKey}
  export WEBHOOK_URL=${api}${examples.webhook} GATEHOUSE_FLOW_KEY=${examples.webhookKey}
  export GATEHOUSE_CONTROL_URL=${control} GATEHOUSE_OPERATOR_KEY=${operatorKey}

Ctrl-C stops everything and removes its data. Webhooks that arrive at the bot runtime:
`
}
