import { printableLine } from '../../../clients/cli/src/printable.ts'
import { listItemsMax } from '../../domain/limits/limits.ts'
import { configured } from '../configured.ts'
import { exitCodes } from '../start-fault.ts'
import { callControl } from './control-api.ts'

interface ListedBot {
  id: string
  state: string
  runtimeConnected: boolean
  waiting: number
  ownerId: string
  name: string
}

interface ListedQueue {
  botId: string | null
  subscriptionId: string | null
  waiting: number
  bytes: number
}

/** `gatehouse bots`: prints all bots, newest first, or only those without a runtime. */
export async function listBots({ withoutRuntime }: { withoutRuntime: boolean }): Promise<number> {
  const bots = await all<ListedBot>(`/v1/bots?limit=${listItemsMax}${withoutRuntime ? '&runtimeConnected=false' : ''}`)
  return printTable(
    ['BOT', 'STATE', 'RUNTIME', 'WAITING', 'OWNER', 'NAME'],
    bots.map(({ id, state, runtimeConnected, waiting, ownerId, name }) => [
      ...[id, state, runtimeConnected ? 'yes' : 'no', String(waiting), ownerId, name],
    ]),
  )
}

/** `gatehouse queues`: prints the queues with waiting events, the fullest first. */
export async function listQueues(): Promise<number> {
  const queues = await all<ListedQueue>(`/v1/queues?limit=${listItemsMax}`)
  return printTable(
    ['QUEUE', 'WAITING', 'BYTES'],
    queues.map(({ botId, subscriptionId, waiting, bytes }) => [
      botId === null ? `subscription ${subscriptionId}` : `bot ${botId}`,
      ...[waiting, bytes].map(String),
    ]),
  )
}

/** Returns the items of all pages. */
async function all<Item>(path: string): Promise<Item[]> {
  const config = configured()
  const items: Item[] = []
  let after = ''
  for (;;) {
    const response = await callControl(config, 'GET', `${path}${after}`)
    const page = (await response.json()) as { items: Item[]; next: string | null }
    items.push(...page.items)
    if (page.next === null) return items
    after = `&after=${page.next}`
  }
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): number {
  const lines = [head, ...rows.map((row) => row.map(printableLine))]
  const widths = head.map((_, column) => lines.reduce((widest, line) => Math.max(widest, line[column]?.length ?? 0), 0))
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  process.stdout.write(`${text.join('\n')}\n`)
  return exitCodes.ok
}
