export interface DemoData {
  person: { email: string; password: string; pin: string }
  client: { clientId: string; clientSecret: string }
  bot: { id: string; chatPlatformId: string }
  webhooks: { open: string; keyed: string; key: string }
  runtimeKey: string
  /**
   * Credentials for the programs in `examples/`: an application, and a bot that the demo's own runtime does not host.
   */
  examples: { clientId: string; clientSecret: string; webhook: string; webhookKey: string; runtimeKey: string }
}

const person = { email: 'ada@example.com', password: 'a lamp in the gate', pin: '2468' }

/** Provisions everything through the control API (see `docs/operations.md`), as a platform would. */
export async function provision(
  addresses: { control: string; portal: string },
  operatorKey: string,
  application: { redirectUris: readonly string[] },
): Promise<DemoData> {
  const control = controlApi(addresses.control, operatorKey)

  await control.put('users/ada', {
    name: 'Ada Lovelace',
    email: person.email,
    password: person.password,
    pin: person.pin,
    chatPlatformId: '104729104729104729',
  })
  await control.put('users/grace', { name: 'Grace Hopper', email: 'grace@example.com' })
  const client = await control.put<{ clientId: string; clientSecret: string }>('applications/acme', {
    ownerId: 'ada',
    name: 'Acme Dashboards',
    websiteUrl: 'https://acme.example',
    redirectUris: [...application.redirectUris, 'https://acme.example/callback'],
    environment: 'development',
  })

  const bot = { id: 'lantern', chatPlatformId: '215215215215215215' }
  await control.put(`bots/${bot.id}`, {
    ownerId: 'ada',
    name: 'Lantern',
    chatPlatformId: bot.chatPlatformId,
    plan: 'pro',
    hostingEnabled: true,
    hostingLocation: 'cloud',
    publicStatus: true,
  })
  await control.put('bots/harbor', {
    ownerId: 'ada',
    name: 'Harbor',
    chatPlatformId: '316316316316316316',
    plan: 'free',
    hostingEnabled: true,
    hostingLocation: 'local',
    publicStatus: true,
  })
  await control.put(`bots/${bot.id}/coworkers/grace`, { role: 'editor', capabilities: ['flows', 'logs'] })
  await control.put(`bots/${bot.id}/guilds`, { guildIds: ['417417417417417417', '518518518518518518'] })
  await control.put(`bots/${bot.id}/flows/hello`, { kind: 'command', name: 'Say hello', publicCode: 'HELLO-1' })
  await control.put(`bots/${bot.id}/flows/deploys`, {
    kind: 'event',
    name: 'Announce deployments',
    webhook: { path: 'deploys', requiresKey: false },
  })
  const keyed = await control.put<{ webhook: { key: string } }>(`bots/${bot.id}/flows/alerts`, {
    kind: 'event',
    name: 'Raise alerts',
    webhook: { path: 'alerts/high', requiresKey: true },
  })
  const runtime = await control.post<{ key: string }>('runtimes', { name: 'demo', botIds: [bot.id] })

  return {
    person,
    client,
    bot,
    webhooks: { open: `/${bot.id}/deploys`, keyed: `/${bot.id}/alerts/high`, key: keyed.webhook.key },
    runtimeKey: runtime.key,
    examples: await provisionExamples(control, addresses.portal),
  }
}

/**
 * Provisions the application and the webhook of the programs in `examples/`. Loopback redirect URIs match on any port.
 */
async function provisionExamples(control: ControlApi, portalUrl: string): Promise<DemoData['examples']> {
  const { clientId, clientSecret } = await control.put<{ clientId: string; clientSecret: string }>(
    'applications/examples',
    {
      ownerId: 'ada',
      name: 'Example',
      websiteUrl: 'https://example.com',
      redirectUris: [
        ...(/^https:|^http:\/\/(localhost|127\.0\.0\.1)[:/]/.test(`${portalUrl}/`) ? [`${portalUrl}/show-code`] : []),
        'http://127.0.0.1/callback',
        'http://localhost:4002/api/auth/callback/gatehouse',
        'http://localhost:4003/api/auth/callback/gatehouse',
      ],
      environment: 'development',
    },
  )
  const flow = await control.put<{ webhook: { key: string } }>('bots/harbor/flows/announcements', {
    kind: 'event',
    name: 'Post announcements',
    webhook: { path: 'announcements', requiresKey: true },
  })
  const runtime = await control.post<{ key: string }>('runtimes', { name: 'examples', botIds: ['harbor'] })
  return {
    clientId,
    clientSecret,
    webhook: '/harbor/announcements',
    webhookKey: flow.webhook.key,
    runtimeKey: runtime.key,
  }
}

export type ControlApi = ReturnType<typeof controlApi>

export function controlApi(controlUrl: string, operatorKey: string) {
  async function call<Answer>(method: string, path: string, body: object): Promise<Answer> {
    const response = await fetch(`${controlUrl}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} /v1/${path} failed with ${response.status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }
  return {
    put: <Answer = unknown>(path: string, body: object) => call<Answer>('PUT', path, body),
    post: <Answer = unknown>(path: string, body: object) => call<Answer>('POST', path, body),
  }
}
