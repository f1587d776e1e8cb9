import type { Audit, AuditKind, Recording } from '../../audit/audit.ts'
import { LastUsedTimes } from '../../background-work.ts'
import type { Clock } from '../../clock.ts'
import { newId, type RuntimeId, type Secrets, type UserId } from '../../ids-and-secrets.ts'
import * as limits from '../../limits/limits.ts'
import { type AgePlace, allOf, containsText, type ListPage, type PageRequest, pageOf } from '../../list-page.ts'
import type { Actor } from '../bot-access.ts'
import { isLive, type PreviousKeyPolicy, previousKeyEndsAtMs, previousKeyForAudit } from '../overlapping-key.ts'
import { BotRefusal, parseAll, parseName } from '../record-rules.ts'
import type { AssignmentChanges } from './assignment-changes.ts'
import type {
  AddRuntimeOutcome,
  AuthenticatedRuntime,
  ChangeKeyOutcome,
  Runtime,
  RuntimeRecord,
  RuntimeStore,
} from './runtime.ts'

export type RuntimeForm = Pick<Runtime, 'name' | 'botIds'>

export type PutRuntime =
  | { outcome: 'created'; runtime: RuntimeRecord; clearTextKey: string }
  | { outcome: 'changed' | 'unchanged'; runtime: RuntimeRecord }

export interface RuntimeFilter {
  ownerId?: UserId | undefined
  nameContains?: string | undefined
  createdSinceMs?: number | undefined
}

/** The operator can access all runtimes, owners their own. The API audits the operator, this file only the owners. */
export type RuntimeKeeper = 'operator' | Actor

export type Runtimes = ReturnType<typeof createRuntimes>

export function createRuntimes(parts: {
  store: RuntimeStore
  mustConfirmEmail?: ((userId: UserId) => Promise<boolean>) | undefined
  audit: Audit
  secrets: Secrets
  clock: Clock
  changes: AssignmentChanges
}) {
  const { store, audit, secrets, clock, changes, mustConfirmEmail = async () => false } = parts
  const keyUse = new LastUsedTimes()

  /** Called while a connection that was opened with the key is active. */
  function noteUse(keyNumber: number): void {
    keyUse.record(keyNumber, clock.nowMs())
  }

  /** Closes the connections of a runtime whose removal is already stored. */
  function applyRemoval(id: RuntimeId): void {
    changes.runtime(id, undefined)
  }

  async function demandConfirmedEmail(by: RuntimeKeeper): Promise<void> {
    if (by !== 'operator' && (await mustConfirmEmail(by.userId))) throw new BotRefusal('email-unconfirmed')
  }

  function changed(id: RuntimeId, outcome: ChangeKeyOutcome): RuntimeRecord {
    if (typeof outcome === 'string') throw new BotRefusal(outcome, { detail: `runtime ${id}` })
    const runtime = withLiveKeys(outcome.runtime)
    changes.runtime(id, runtime)
    return runtime
  }

  function withLiveKeys(runtime: RuntimeRecord): RuntimeRecord {
    const nowMs = clock.nowMs()
    return { ...runtime, keys: runtime.keys.filter((key) => isLive(key, nowMs)) }
  }

  /** @param changed returns the changed runtime, or `undefined` if nothing changed. */
  function recordingOf<Outcome>(
    by: RuntimeKeeper,
    kind: AuditKind,
    changed: (outcome: Outcome) => Runtime | undefined,
    detail: Record<string, string> = {},
  ): Recording<Outcome> | undefined {
    if (by === 'operator') return undefined
    return audit.recording((outcome) => {
      const runtime = changed(outcome)
      if (runtime === undefined) return undefined
      const botId = runtime.botIds?.length === 1 ? runtime.botIds[0] : undefined
      return { kind, actor: 'user', ...by, botId, detail: { runtime: runtime.id, name: runtime.name, ...detail } }
    })
  }

  return {
    noteUse,
    applyRemoval,

    /**
     * An owner's runtime hosts only that owner's bots, and stops hosting a bot when the bot's owner changes.
     *
     * @throws BotRefusal with every validation error; `runtime-bot-unknown`, also if an owner's runtime lists a bot
     * that belongs to someone else; `runtime-needs-bot`, if an owner has no bot; `runtimes-too-many`;
     * `email-unconfirmed`.
     */
    async make(form: RuntimeForm, by: RuntimeKeeper): Promise<{ runtime: RuntimeRecord; clearTextKey: string }> {
      await demandConfirmedEmail(by)
      const name = parseAll((take) => take(parseName(form.name)))
      const { clearText, ...key } = secrets.make('runtimeKey')
      const botIds = form.botIds === null ? null : [...new Set(form.botIds)]
      const runtime: Runtime = { id: newId<RuntimeId>(), name, ownerId: ownerOf(by), botIds }
      const recording = recordingOf(by, 'runtime-made', (added: AddRuntimeOutcome) =>
        typeof added !== 'string' && 'runtime' in added ? runtime : undefined,
      )
      const outcome = await store.addRuntime(runtime, key, limits.runtimesPerOwner, clock.nowMs(), recording)
      if (outcome === 'runtime-needs-bot') throw new BotRefusal(outcome, { detail: `user ${runtime.ownerId}` })
      if (outcome === 'too-many') throw new BotRefusal('runtimes-too-many', { detail: `user ${runtime.ownerId}` })
      if ('unknown' in outcome) throw new BotRefusal('runtime-bot-unknown', { detail: outcome.unknown.join(', ') })
      return { runtime: outcome.runtime, clearTextKey: clearText }
    },

    /**
     * Creates the operator's runtime with this ID, or changes the name and bots of the existing one. If the bots
     * change, the runtime's connections are closed, and it reconnects.
     *
     * @throws BotRefusal with every validation error; `runtime-bot-unknown`, also if an owner's runtime lists a bot
     * that belongs to someone else.
     */
    async put(id: RuntimeId, form: RuntimeForm): Promise<PutRuntime> {
      const name = parseAll((take) => take(parseName(form.name)))
      const { clearText, ...key } = secrets.make('runtimeKey')
      const botIds = form.botIds === null ? null : [...new Set(form.botIds)]
      const outcome = await store.putRuntime({ id, name, botIds }, key, clock.nowMs())
      if ('unknown' in outcome) throw new BotRefusal('runtime-bot-unknown', { detail: outcome.unknown.join(', ') })
      const { kind, runtime } = outcome
      if (kind === 'created') return { outcome: kind, runtime, clearTextKey: clearText }
      if (kind === 'unchanged') return { outcome: kind, runtime: withLiveKeys(runtime) }
      return { outcome: kind, runtime: changed(id, outcome) }
    },

    async authenticate(clearTextKey: string): Promise<AuthenticatedRuntime | undefined> {
      const found = await secrets.findStored(clearTextKey, (digest) => store.findByKey(digest, clock.nowMs()))
      if (found !== undefined) noteUse(found.key.number)
      return found
    },

    recordUse: () => keyUse.flush((times) => store.recordKeyUse(times)),

    /** Returns `undefined` if the runtime does not exist or belongs to another owner. */
    async find(id: RuntimeId, by: RuntimeKeeper): Promise<RuntimeRecord | undefined> {
      const runtime = await store.findRuntime(id, ownerOf(by))
      return runtime && withLiveKeys(runtime)
    },

    /** Newest first, up to {@link runtimesListedMax}. */
    async list(ownerId: UserId): Promise<RuntimeRecord[]> {
      const newest = { after: undefined, most: limits.runtimesListedMax }
      const runtimes = await store.listRuntimes(ownerId, newest)
      return runtimes.map((runtime) => withLiveKeys(runtime))
    },

    /** Newest first. A page may be short even if it isn't the last one; see {@link pageOf}. */
    async page(
      { ownerId, nameContains, createdSinceMs }: RuntimeFilter,
      request: PageRequest<AgePlace>,
    ): Promise<ListPage<RuntimeRecord, AgePlace>> {
      const { items, next } = await pageOf(request, {
        read: (batch) => store.listRuntimes(ownerId, { ...batch, createdSinceMs }),
        placeOf: ({ createdAtMs, id }) => ({ createdAtMs, id }),
        matches: allOf(nameContains !== undefined && (({ name }: Runtime) => containsText(name, nameContains))),
      })
      return { items: items.map((runtime) => withLiveKeys(runtime)), next }
    },

    /**
     * The previous key stays valid for 24 hours, or expires immediately, which closes its connections.
     *
     * @throws BotRefusal `runtime-unknown`, also for another owner's runtime; `runtime-needs-bot`, if an owner has no
     * bot; `email-unconfirmed`.
     */
    async makeKey(
      id: RuntimeId,
      { by, keyBefore }: { by: RuntimeKeeper; keyBefore: PreviousKeyPolicy },
    ): Promise<{ runtime: RuntimeRecord; clearTextKey: string }> {
      await demandConfirmedEmail(by)
      const { clearText, ...key } = secrets.make('runtimeKey')
      const nowMs = clock.nowMs()
      const endsAtMs = previousKeyEndsAtMs(keyBefore, nowMs)
      const recording = recordingOf(by, 'runtime-key-made', changedRuntime, { before: previousKeyForAudit(keyBefore) })
      const outcome = await store.replaceKey(id, ownerOf(by), key, { endsAtMs }, nowMs, recording)
      return { runtime: changed(id, outcome), clearTextKey: clearText }
    },

    /**
     * Revokes the previous key and closes its connections.
     *
     * @throws BotRefusal `runtime-unknown`, also for another owner's runtime; `key-unknown`, also if the key has
     * expired; `key-needed` for the current key.
     */
    async endKey(id: RuntimeId, keyNumber: number, by: RuntimeKeeper): Promise<RuntimeRecord> {
      const recording = recordingOf(by, 'runtime-key-ended', changedRuntime)
      const outcome = await store.endKey(id, ownerOf(by), keyNumber, clock.nowMs(), recording)
      return changed(id, outcome)
    },

    /** Closes the runtime's connections. Returns false if the runtime does not exist or belongs to another owner. */
    async remove(id: RuntimeId, by: RuntimeKeeper): Promise<boolean> {
      const recording = recordingOf(by, 'runtime-removed', (runtime: Runtime | undefined) => runtime)
      const removed = await store.removeRuntime(id, ownerOf(by), recording)
      if (removed === undefined) return false
      applyRemoval(id)
      return true
    },
  }
}

function changedRuntime(outcome: ChangeKeyOutcome): RuntimeRecord | undefined {
  return typeof outcome === 'string' ? undefined : outcome.runtime
}

function ownerOf(by: RuntimeKeeper): UserId | null {
  return by === 'operator' ? null : by.userId
}
