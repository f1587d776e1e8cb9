import type { Clock } from '../clock.ts'
import type { ChatPlatformId, UserId } from '../ids.ts'
import { type AgePlace, allOf, containsText, type ListPage, type PageRequest, pageOf } from '../list-page.ts'
import type { Bot, BotStore } from './bot.ts'
import { type BotState, botState } from './status/bot-status.ts'
import { type GatewaySnapshot, isFresh, type Snapshots } from './status/snapshots.ts'

export interface BotFilter {
  ownerId?: UserId | undefined
  chatPlatformId?: ChatPlatformId | undefined
  nameContains?: string | undefined
  state?: BotState | undefined
  runtimeConnected?: boolean | undefined
  createdSinceMs?: number | undefined
}

export interface BotWithState {
  bot: Bot
  state: BotState
  /** See {@link isFresh}. */
  runtimeConnected: boolean
}

/** Lists all bots with their current state, for the operator. */
export function createBotList(parts: { bots: Pick<BotStore, 'listBots'>; snapshots: Snapshots; clock: Clock }) {
  const { bots: store, snapshots, clock } = parts

  return {
    /** Returns the bots, newest first. A page may be short even if it isn't the last one; see {@link pageOf}. */
    page(
      { nameContains, state, runtimeConnected, createdSinceMs, ...values }: BotFilter,
      request: PageRequest<AgePlace>,
    ): Promise<ListPage<BotWithState, AgePlace>> {
      const nowMs = clock.nowMs()
      return pageOf(request, {
        read: async (batch) => {
          // Includes heartbeats that aren't stored yet, which a filter in the store would miss.
          const over = snapshots.overlay()
          const listed = await store.listBots(values, { ...batch, createdSinceMs })
          return listed.map(({ bot, snapshot: stored }) => withState(bot, over(bot.id, stored), nowMs))
        },
        placeOf: ({ bot: { createdAtMs, id } }) => ({ createdAtMs, id }),
        matches: allOf(
          nameContains !== undefined && (({ bot }: BotWithState) => containsText(bot.name, nameContains)),
          state !== undefined && ((listed: BotWithState) => listed.state === state),
          runtimeConnected !== undefined && ((listed: BotWithState) => listed.runtimeConnected === runtimeConnected),
        ),
      })
    },
  }
}

function withState(bot: Bot, snapshot: GatewaySnapshot | undefined, nowMs: number): BotWithState {
  return {
    bot,
    state: botState(bot, snapshot, nowMs),
    runtimeConnected: snapshot !== undefined && isFresh(snapshot, nowMs),
  }
}
