import type { Audit, AuditKind, Recording } from '../../audit/audit.ts'
import { isolatedSteps, type OnFault } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import type { BotId, FlowId, Secrets, UserId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import { allOf, containsText, type ListPage, type PageRequest, pageOf } from '../../list-page.ts'
import type { PutOutcome } from '../../put-outcome.ts'
import { type Actor, type BotAccess, botAuditEntry } from '../bot-access.ts'
import type { BotEvents } from '../deleted-bots.ts'
import { isLive, type PreviousKeyPolicy, previousKeyEndsAtMs, previousKeyForAudit } from '../overlapping-key.ts'
import { BotRefusal } from '../record-rules.ts'
import type { AssignmentChanges } from '../runtimes/assignment-changes.ts'
import {
  type EndKeyOutcome,
  type Flow,
  type FlowChange,
  type FlowPlace,
  type FlowStore,
  type PutFlowOutcome,
  parseFlowChange,
  type ReplaceKeyOutcome,
  type StoredFlowChange,
  type WebhookChange,
} from './flow.ts'

export interface FlowFilter {
  botId?: BotId | undefined
  kind?: string | undefined
  nameContains?: string | undefined
}

export interface PutFlow {
  outcome: PutOutcome
  flow: Flow
  /** A key that was generated because one is required and none was given or stored. Can't be shown again. */
  clearTextKey: string | undefined
}

export function createFlows(parts: {
  store: FlowStore
  events: Omit<BotEvents, 'discard'>
  access: BotAccess
  audit: Audit
  secrets: Secrets
  clock: Clock
  changes: AssignmentChanges
  ownersManage: boolean
  onFault: OnFault
}) {
  const attempt = isolatedSteps(parts.onFault)
  const { ownersManage, store, events, access, audit, secrets, clock, changes } = parts

  async function save(
    botId: BotId,
    id: FlowId,
    change: FlowChange,
    recording?: Recording<PutFlowOutcome>,
    bound: Pick<StoredFlowChange, 'flowsMax'> = {},
  ): Promise<PutFlow> {
    const spare = secrets.make('flowKey')
    const parsed = parseFlowChange(change, {
      ...{ botId, id, secrets },
      spareKey: { digest: spare.digest, lastFour: spare.lastFour },
    })
    // Events of a removed flow with the same ID may still be waiting.
    const isNew = (await store.findFlow(botId, id)) === undefined
    const created = isNew ? { eventsBefore: await events.lastAccepted(botId) } : {}
    const stored = { ...parsed, ...bound, ...created }
    const outcome = await store.putFlow(botId, id, stored, clock.nowMs(), recording)
    if (!('flow' in outcome)) throw new BotRefusal(outcome.kind, { detail: `bot ${botId}, flow ${id}` })
    if (outcome.kind !== 'unchanged') changes.bot(botId)
    const apply = () => events.applyFlowSettings(botId)
    // A failure must not lose a new key, and the next claim applies most settings. A new flow has no events.
    if (outcome.kind !== 'created')
      await (outcome.spareKeyUsed ? attempt('flow settings update', { bot: botId }, apply) : apply())
    return {
      outcome: outcome.kind,
      flow: withLiveSecrets(outcome.flow),
      clearTextKey: outcome.spareKeyUsed ? spare.clearText : undefined,
    }
  }

  async function demandManagement(botId: BotId, by: Actor): Promise<void> {
    await access.demand(by.userId, botId, 'manage-flows')
    if (!ownersManage) throw new BotRefusal('flows-managed-by-operator', { detail: `bot ${botId}` })
  }

  function changed(botId: BotId, id: FlowId, outcome: ReplaceKeyOutcome | EndKeyOutcome): Flow {
    if (typeof outcome === 'string') throw new BotRefusal(outcome, { detail: `bot ${botId}, flow ${id}` })
    changes.bot(botId)
    return withLiveSecrets(outcome.flow)
  }

  async function remove(botId: BotId, id: FlowId, recording?: Recording<{ name: string } | undefined>) {
    const removed = await store.removeFlow(botId, id, recording)
    if (removed === undefined) return false
    changes.bot(botId)
    await events.applyFlowSettings(botId)
    return true
  }

  function withLiveSecrets(flow: Flow): Flow {
    if (flow.webhook === null) return flow
    const nowMs = clock.nowMs()
    const keys = flow.webhook.keys.filter((key) => isLive(key, nowMs))
    const endsAtMs = flow.webhook.previousSecretEndsAtMs
    const previousSecretEndsAtMs = endsAtMs !== null && endsAtMs > nowMs ? endsAtMs : null
    return { ...flow, webhook: { ...flow.webhook, keys, previousSecretEndsAtMs } }
  }

  return {
    ownersManage,

    /**
     * The change applies to the next webhook.
     *
     * @throws BotRefusal with every validation error in the change; `bot-unknown`, `flow-unknown`, `webhook-missing`,
     * `webhook-needs-event-flow`, `webhook-path-taken`, `signature-secret-missing`.
     */
    put: (botId: BotId, id: FlowId, change: FlowChange) => save(botId, id, change),

    /**
     * Like {@link put}. If the change says whether a key is required, it is the owner's requirement.
     *
     * @throws BotRefusal like {@link put}, and `not-allowed`, `flows-managed-by-operator`, `flows-too-many`.
     */
    async putAsOwner(botId: BotId, id: FlowId, change: FlowChange, by: Actor): Promise<PutFlow> {
      await demandManagement(botId, by)
      const { webhook } = change
      const owned = webhook && { ...webhook, ownerRequiresKey: webhook.requiresKey }
      const recording = audit.recording<PutFlowOutcome>((outcome) => {
        if (!('flow' in outcome) || outcome.kind === 'unchanged') return undefined
        const members = Object.keys(change).join(', ')
        return flowEntry(outcome.kind === 'created' ? 'flow-created' : 'flow-changed', outcome.flow, by, { members })
      })
      return save(botId, id, { ...change, webhook: owned }, recording, { flowsMax: limits.flowsPerBot })
    },

    async find(botId: BotId, id: FlowId): Promise<Flow | undefined> {
      const flow = await store.findFlow(botId, id)
      return flow && withLiveSecrets(flow)
    },

    async list(botId: BotId): Promise<Flow[]> {
      const flows = await store.listFlows(botId, { after: undefined, most: Number.MAX_SAFE_INTEGER })
      return flows.map((flow) => withLiveSecrets(flow))
    },

    namesOfUser: (userId: UserId) => store.listNamesOfUser(userId, limits.flowsSearchedMax),

    /** Sorted by bot ID and flow ID. A page may be short even if it isn't the last one; see {@link pageOf}. */
    async page(
      { botId, kind, nameContains }: FlowFilter,
      request: PageRequest<FlowPlace>,
    ): Promise<ListPage<Flow, FlowPlace>> {
      const { items, next } = await pageOf(request, {
        read: (batch) => store.listFlows(botId, batch),
        placeOf: ({ botId, id }) => ({ botId, id }),
        matches: allOf(
          kind !== undefined && ((flow: Flow) => flow.kind === kind),
          nameContains !== undefined && (({ name }: Flow) => containsText(name, nameContains)),
        ),
      })
      return { items: items.map((flow) => withLiveSecrets(flow)), next }
    },

    /** @throws BotRefusal like {@link put}, and `not-allowed`; `webhook-missing` if the flow has no webhook. */
    async changeWebhook(
      botId: BotId,
      id: FlowId,
      { by, ...change }: Omit<WebhookChange, 'clearTextKey' | 'requiresKey'> & { by: Actor },
    ): Promise<PutFlow> {
      const { ownerRequiresKey, ...others } = change
      const changesKeys =
        ownerRequiresKey !== undefined || change.signature !== undefined || change.endsPreviousSecret !== undefined
      if (changesKeys) await access.demand(by.userId, botId, 'change-keys')
      if (!changesKeys || Object.keys(others).length > 0) await access.demand(by.userId, botId, 'change-flows')
      const recording = audit.recording<PutFlowOutcome>((outcome) => {
        if (outcome.kind !== 'changed') return undefined
        return flowEntry('flow-changed', outcome.flow, by, { members: Object.keys(change).join(', ') })
      })
      return save(botId, id, { webhook: { ...change, requiresKey: ownerRequiresKey } }, recording)
    },

    /**
     * Creates a new key. Webhooks without a key are rejected from then on, unless `keepsOptional` is set and no key is
     * required so far.
     *
     * @throws BotRefusal `bot-unknown`, `not-allowed`, `flow-unknown`; `webhook-missing` if the flow has no webhook.
     */
    async makeKey(
      botId: BotId,
      id: FlowId,
      { by, keyBefore, keepsOptional = false }: { by: Actor; keyBefore: PreviousKeyPolicy; keepsOptional?: boolean },
    ): Promise<{ flow: Flow; clearTextKey: string }> {
      await access.demand(by.userId, botId, 'change-keys')
      const { clearText, ...key } = secrets.make('flowKey')
      const nowMs = clock.nowMs()
      const endsAtMs = previousKeyEndsAtMs(keyBefore, nowMs)
      const detail = { before: previousKeyForAudit(keyBefore) }
      const recording = audit.recording((replaced: ReplaceKeyOutcome) =>
        typeof replaced === 'string' ? undefined : flowEntry('flow-key-made', replaced.flow, by, detail),
      )
      const outcome = await store.replaceKey(botId, id, key, { endsAtMs, keepsOptional }, nowMs, recording)
      return { flow: changed(botId, id, outcome), clearTextKey: clearText }
    },

    /**
     * @throws BotRefusal `bot-unknown`, `not-allowed`, `flow-unknown`; `key-unknown` if the key does not exist or has
     * expired; `key-needed` for the current key of a flow that requires one.
     */
    async endKey(botId: BotId, id: FlowId, number: number, { by }: { by: Actor }): Promise<Flow> {
      await access.demand(by.userId, botId, 'change-keys')
      const recording = audit.recording((ended: EndKeyOutcome) =>
        typeof ended === 'string' ? undefined : flowEntry('flow-key-ended', ended.flow, by),
      )
      return changed(botId, id, await store.endKey(botId, id, number, clock.nowMs(), recording))
    },

    remove: (botId: BotId, id: FlowId) => remove(botId, id),

    /** @throws BotRefusal `bot-unknown`, `not-allowed`, `flows-managed-by-operator`. */
    async removeAsOwner(botId: BotId, id: FlowId, by: Actor): Promise<boolean> {
      await demandManagement(botId, by)
      const recording = audit.recording<{ name: string } | undefined>(
        (removed) => removed && botAuditEntry('flow-removed', botId, by, { flow: id, ...removed }),
      )
      return remove(botId, id, recording)
    },
  }
}

function flowEntry(kind: AuditKind, { botId, id, name }: Flow, by: Actor, detail: Record<string, string> = {}) {
  return botAuditEntry(kind, botId, by, { flow: id, name, ...detail })
}
