import type { Audit, AuditKind, Recording } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import { type BotId, newRuntimeId, type RuntimeId, type UserId } from '../../ids.ts'
import { LastUsedTimes } from '../../last-times.ts'
import * as limits from '../../limits/limits.ts'
import { type AgePlace, allOf, containsText, type ListPage, type PageRequest, pageOf } from '../../list-page.ts'
import type { Secrets } from '../../secret.ts'
import type { Actor } from '../bot-access.ts'
import { BotRefusal } from '../bot-refusal.ts'
import { isLive, type PreviousKeyPolicy, previousKeyEndsAtMs, previousKeyForAudit } from '../overlapping-key.ts'
import { parseAll, parseName } from '../record-rules.ts'
import type { AssignmentChanges } from './assignment-changes.ts'
import type { AddRuntimeOutcome, AuthenticatedRuntime, Runtime, RuntimeRecord, RuntimeStore } from './runtime.ts'

export interface RuntimeForm {
  name: string
  /**
   * Bots that the runtime may host. `null` means every bot, or, for an owner's runtime, all of that owner's current and
   * future bots.
   */
  botIds: readonly BotId[] | null
}

export type PutRuntime =
  | { outcome: 'created'; runtime: RuntimeRecord; clearTextKey: string }
  | { outcome: 'changed' | 'unchanged'; runtime: RuntimeRecord }

/** Selects runtimes. Omitted fields match every runtime. */
export interface RuntimeFilter {
  ownerId?: UserId | undefined
  /** Part of the name to search for, ignoring case. */
  nameContains?: string | undefined
  createdSinceMs?: number | undefined
}

/**
 * A manager of runtimes: the operator, who can access all of them, or a bot owner, who can access only their own.
 *
 * The API layer records the operator's calls in the audit log; this class records only the owners' calls.
 */
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

  /** Updates the key's last-use time. Called while a connection that was opened with the key is active. */
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

  function changed(
    id: RuntimeId,
    outcome: { runtime: RuntimeRecord } | 'runtime-unknown' | 'key-unknown' | 'key-needed',
  ) {
    if (typeof outcome === 'string') throw new BotRefusal(outcome, { detail: `runtime ${id}` })
    const runtime = withLiveKeys(outcome.runtime)
    changes.runtime(id, runtime)
    return runtime
  }

  function withLiveKeys(runtime: RuntimeRecord): RuntimeRecord {
    const nowMs = clock.nowMs()
    return { ...runtime, keys: runtime.keys.filter((key) => isLive(key, nowMs)) }
  }

  /**
   * Records an owner's change to the runtime in the audit log.
   *
   * @param changed returns the changed runtime, or `undefined` if nothing changed.
   */
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
     * Creates a runtime and its key, which can't be shown again.
     *
     * An owner's runtime hosts only that owner's bots. It stops hosting a bot when the bot's owner changes.
     *
     * @throws BotRefusal with every validation error in the form; `runtime-bot-unknown`, also if an owner's runtime
     * lists a bot that belongs to someone else; `runtime-needs-bot`, if an owner has no bot; `runtimes-too-many`;
     * `email-unconfirmed`.
     */
    async make(form: RuntimeForm, by: RuntimeKeeper): Promise<{ runtime: RuntimeRecord; clearTextKey: string }> {
      await demandConfirmedEmail(by)
      const name = parseAll((take) => take(parseName(form.name)))
      const { clearText, ...key } = secrets.make('runtimeKey')
      const botIds = form.botIds === null ? null : [...new Set(form.botIds)]
      const runtime: Runtime = { id: newRuntimeId(), name, ownerId: ownerOf(by), botIds }
      const recording = recordingOf(by, 'runtime-made', (added: AddRuntimeOutcome) =>
        typeof added !== 'string' && 'runtime' in added ? runtime : undefined,
      )
      const outcome = await store.addRuntime(runtime, key, limits.runtimesPerOwner, clock.nowMs(), recording)
      if (outcome === 'no-bot') throw new BotRefusal('runtime-needs-bot', { detail: `user ${runtime.ownerId}` })
      if (outcome === 'too-many') throw new BotRefusal('runtimes-too-many', { detail: `user ${runtime.ownerId}` })
      if ('unknown' in outcome) throw new BotRefusal('runtime-bot-unknown', { detail: outcome.unknown.join(', ') })
      return { runtime: outcome.runtime, clearTextKey: clearText }
    },

    /**
     * Creates the operator's runtime with this ID, or changes the name and bots of the existing runtime. Idempotent. If
     * the bots change, the service closes the runtime's connections, and the runtime reconnects. Only the key of a new
     * runtime is returned.
     *
     * @throws BotRefusal with every validation error in the form; `runtime-bot-unknown`, also if an owner's runtime
     * lists a bot that belongs to someone else.
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

    /** Returns the runtime that this key belongs to, or `undefined` if the key is unknown or has expired. */
    async authenticate(clearTextKey: string): Promise<AuthenticatedRuntime | undefined> {
      for (const digest of secrets.digests(clearTextKey)) {
        const found = await store.findByKey(digest, clock.nowMs())
        if (found === undefined) continue
        noteUse(found.key.number)
        return found
      }
      return undefined
    },

    recordUse: () => keyUse.flush((times) => store.recordKeyUse(times)),

    /** Returns the runtime, or `undefined` if the runtime does not exist or belongs to another owner. */
    async find(id: RuntimeId, by: 'operator' | UserId): Promise<RuntimeRecord | undefined> {
      const runtime = await store.findRuntime(id, by === 'operator' ? null : by)
      return runtime && withLiveKeys(runtime)
    },

    /** Returns at most {@link runtimesListedMax} runtimes, newest first. */
    async list(by: 'operator' | UserId): Promise<RuntimeRecord[]> {
      const runtimes = await store.listRuntimes(by === 'operator' ? null : by, limits.runtimesListedMax)
      return runtimes.map((runtime) => withLiveKeys(runtime))
    },

    /**
     * Returns the matching runtimes of all owners, newest first. A page may be short even if it isn't the last one; see
     * {@link pageOf}.
     */
    async page(
      { ownerId, nameContains, createdSinceMs }: RuntimeFilter,
      request: PageRequest<AgePlace>,
    ): Promise<ListPage<RuntimeRecord, AgePlace>> {
      const { items, next } = await pageOf(request, {
        read: (batch) => store.listRuntimesAfter(ownerId, { ...batch, createdSinceMs }),
        placeOf: ({ createdAtMs, id }) => ({ createdAtMs, id }),
        matches: allOf(nameContains !== undefined && (({ name }: Runtime) => containsText(name, nameContains))),
      })
      return { items: items.map((runtime) => withLiveKeys(runtime)), next }
    },

    /**
     * Creates a new key, which can't be shown again.
     *
     * The previous key stays valid for 24 hours, or expires immediately, which closes its connections. A key that was
     * already expiring is removed, so at most two keys are valid.
     *
     * @throws BotRefusal `runtime-unknown`, also for another owner's runtime.
     */
    async makeKey(
      id: RuntimeId,
      { by, keyBefore }: { by: RuntimeKeeper; keyBefore: PreviousKeyPolicy },
    ): Promise<{ runtime: RuntimeRecord; clearTextKey: string }> {
      await demandConfirmedEmail(by)
      const { clearText, ...key } = secrets.make('runtimeKey')
      const nowMs = clock.nowMs()
      const endsAtMs = previousKeyEndsAtMs(keyBefore, nowMs)
      const recording = recordingOf(by, 'runtime-key-made', changedRuntime, {
        before: previousKeyForAudit(keyBefore),
      })
      const outcome = await store.replaceKey(id, ownerOf(by), key, { endsAtMs }, nowMs, recording)
      return { runtime: changed(id, outcome), clearTextKey: clearText }
    },

    /**
     * Revokes the previous key and closes its connections. The current key can't be revoked: create a new key or remove
     * the runtime instead.
     *
     * @throws BotRefusal `runtime-unknown`, also for another owner's runtime; `key-unknown`, also if the key has
     * expired; `key-needed` for the current key.
     */
    async endKey(id: RuntimeId, keyNumber: number, by: RuntimeKeeper): Promise<RuntimeRecord> {
      const recording = recordingOf(by, 'runtime-key-ended', changedRuntime)
      const outcome = await store.endKey(id, ownerOf(by), keyNumber, clock.nowMs(), recording)
      return changed(id, outcome)
    },

    /**
     * Removes the runtime and its keys, and closes its connections. Returns false if the runtime does not exist or
     * belongs to another owner.
     */
    async remove(id: RuntimeId, by: RuntimeKeeper): Promise<boolean> {
      const recording = recordingOf(by, 'runtime-removed', (runtime: Runtime | undefined) => runtime)
      const removed = await store.removeRuntime(id, ownerOf(by), recording)
      if (removed === undefined) return false
      applyRemoval(id)
      return true
    },
  }
}

function changedRuntime(outcome: { runtime: RuntimeRecord } | string): RuntimeRecord | undefined {
  return typeof outcome === 'string' ? undefined : outcome.runtime
}

function ownerOf(by: RuntimeKeeper): UserId | null {
  return by === 'operator' ? null : by.userId
}
