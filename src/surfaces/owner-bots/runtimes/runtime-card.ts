import { isConnected, type RuntimeConnection } from '../../../domain/bots/runtimes/runtime-connections.ts'
import { state } from '../../../pages/components/notice.ts'
import { secretTable } from '../../../pages/components/secrets.ts'
import { table } from '../../../pages/components/table.ts'
import { time } from '../../../pages/components/time.ts'
import { type Html, html } from '../../../pages/html.ts'
import { secretTableWords } from '../../../pages/words/components.ts'
import type { BotPageView } from '../bot-frame.ts'
import { listedKey } from '../listed-key.ts'
import type { ShownRuntime } from './hosting-runtimes.ts'
import { runtimeWords as words } from './words.ts'

/** Renders a runtime: whether it is connected, its connections and its keys. */
export function runtimeCard(
  { runtime, connections }: ShownRuntime,
  { bot, clearTextKey, nowMs }: Pick<BotPageView, 'bot' | 'nowMs'> & { clearTextKey: string | undefined },
): Html {
  const { id, name, botIds, createdAtMs, keys } = runtime
  const address = `/bots/${bot.id}/runtimes/${id}`
  const connected = connections.some((connection) => isConnected(connection, nowMs))
  return html`<section class="card compact" aria-labelledby="runtime-${id}"><div class="name"><h3 id="runtime-${id}">${name}</h3>
${connected ? state({ tone: 'good', word: words.connected }) : state({ tone: 'neutral', word: words.offline })}
<p class="facts"><span class="soft small">${words.hostsBots(botIds?.length ?? null)} · ${words.created(time(createdAtMs, nowMs))}</span></p></div>
${connections.length === 0 ? html`<p class="soft">${words.neverConnected}</p>` : connectionTable(name, connections, nowMs)}
${secretTable({
  caption: words.keysOf(name),
  kind: secretTableWords.key,
  secrets: keys.map((key) => ({
    ...listedKey(key, clearTextKey),
    revocation:
      key.endsAtMs === null ? { not: secretTableWords.replaceOnly } : { href: `${address}/keys/${key.number}/end` },
  })),
  nowMs,
})}
<div class="buttons"><a class="button plain small" href="${address}/key">${words.replaceKey(name)}</a><a class="button dangerous small" href="${address}/removal">${words.remove(name)}</a></div>
</section>`
}

/** Renders that a runtime of the platform hosts the bot. Only the platform sees its connections and keys. */
export function platformCard(heardAtMs: number, nowMs: number): Html {
  return html`<section class="card compact" aria-labelledby="runtime-of-platform"><div class="name"><h3 id="runtime-of-platform">${words.ofPlatform}</h3>
${state({ tone: 'good', word: words.connected })}
<p class="facts"><span class="soft small">${words.lastHeartbeat(time(heardAtMs, nowMs))}</span></p></div></section>`
}

function connectionTable(runtime: string, connections: readonly RuntimeConnection[], nowMs: number): Html {
  return table({
    caption: words.connectionsOf(runtime),
    rows: connections,
    columns: [
      { title: words.instance, cell: ({ instance }) => html`<code>${instance}</code>` },
      { title: words.agent, cell: ({ agent }) => agent },
      { title: words.since, cell: ({ connectedAtMs }) => time(connectedAtMs, nowMs) },
      {
        title: words.lastSeen,
        cell: (connection) =>
          isConnected(connection, nowMs) ? words.now : time(connection.endedAtMs ?? connection.heardAtMs, nowMs),
      },
    ],
  })
}
