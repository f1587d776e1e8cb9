import { connect, type Runtime } from '../clients/typescript/src/runtime.ts'

/**
 * Starts a minimal bot runtime that uses the TypeScript client. It hosts every bot that its key allows, reports them as
 * online, and prints each webhook. Resolves once it hosts the bots.
 */
export async function startBotRuntime(
  apiUrl: string,
  runtimeKey: string,
  say: (line: string) => void,
): Promise<Runtime> {
  const startedAtMs = Date.now()
  const runtime = connect({
    url: apiUrl,
    key: runtimeKey,
    instance: 'demo-1',
    agent: 'gatehouse-demo',
    heartbeat: () => ({
      ready: true,
      presence: 'online',
      uptimeMs: Date.now() - startedAtMs,
      guildCount: 2,
      shardCount: 1,
    }),
    onWebhook: ({ botId, path, attempt, text }) =>
      say(`  bot ${botId} · webhook ${path} · attempt ${attempt} · ${text().slice(0, 200)}`),
  })
  runtime.ended.catch((error) => say(`  bot runtime stopped: ${error.message}`))
  await runtime.hosting()
  return runtime
}
