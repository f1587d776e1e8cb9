import type { DemoThings } from './provision.ts'

/** Returns the text that the demo prints once everything runs: URLs, credentials and commands to paste. */
export function guide(demo: {
  addresses: { base: string; api: string; portal: string; control: string }
  application: string
  operatorKey: string
  things: DemoThings
}): string {
  const { addresses, application, operatorKey, things } = demo
  const { base, api, portal, control } = addresses
  const { person, client, bot, webhooks } = things
  const consent = new URL(`${base}/auth/consent`)
  consent.search = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: `${application}/show-code`,
    response_type: 'code',
    scope: 'user.identify bots.read',
    state: 'try',
  }).toString()

  return `
Gatehouse is ready. Click through it:

  Client application   ${application}
  Account and sign-in  ${base}/account
  Developer portal     ${portal}
  Bot status           ${base}/botstatus/${bot.id}

Sign in as

  E-mail    ${person.email}
  Password  ${person.password}
  PIN       ${person.pin}

Or paste these lines:

  # a webhook for anybody, and one that takes a key; the bot runtime prints them below
  curl -i ${api}${webhooks.open} -d 'Version 7 is out'
  curl -i ${api}${webhooks.keyed} -H 'svc-key: ${webhooks.key}' -d 'Disk full'

  # bot status, for everybody
  curl -i ${base}/botstatus/${bot.chatPlatformId}/api

  # is the gateway well, and what the OAuth endpoints look like
  curl -i ${api}/health
  curl ${api}/openapi.json

  # tokens: open this address in a browser; it answers with the curl line that redeems the code
  ${consent.href}

  # the control API, for the platform itself
  curl ${control}/v1/bots/${bot.id} -H 'Authorization: Bearer ${operatorKey}'

Ctrl-C stops everything and removes its data. Webhooks that arrive at the bot runtime:
`
}
