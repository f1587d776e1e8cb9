import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { advisoryLocks } from './advisory-locks.ts'

const tryEveryMs = 10
/** How long a node that comes waits for the one that was alone. */
const waitMs = 2_000

/** What a node does for being alone and for not being it any more. */
export interface Company {
  /** No other node is there, and one that comes waits two seconds for {@link meet} to be through. */
  beAlone(): Promise<void>
  /** Others may come from here on unseen, until it is told anything else. */
  cutOff(): void
  /** Others come, or may have come already while this node was cut off. */
  meet(): Promise<void>
}

/**
 * Finds out whether a node is alone, by a lock on the connection that it keeps for itself: it goes with the
 * connection, however that ends. Who is alone shares the lock once somebody asks.
 */
export class Aloneness {
  readonly #company: Company
  readonly #ask: (client: Client) => Promise<unknown>
  #held: 'alone' | 'shared' | undefined
  /** The connection may be another one than that of the lock. */
  #lost = false
  #doing: Promise<void> = Promise.resolve()

  /** @param ask reaches {@link asked} of all nodes. */
  constructor({ company, ask }: { company: Company; ask: (client: Client) => Promise<unknown> }) {
    this.#company = company
    this.#ask = ask
  }

  lost(): void {
    this.#lost = true
    this.#company.cutOff()
  }

  /** On a new connection. Resolves once this node is alone or has company, or after two seconds: it may go on without. */
  async come(client: Client): Promise<void> {
    const untilMs = performance.now() + waitMs
    await this.look(client)
    while (this.#held === undefined && performance.now() < untilMs) {
      await sleep(tryEveryMs)
      await this.#inTurn(() => this.#share(client))
    }
  }

  /** To be called now and again. */
  look(client: Client): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#lost) {
        if (this.#held === 'alone') await this.#company.meet()
        this.#held = undefined
        this.#lost = false
      }
      if (this.#held === 'alone') return
      if (await isTrue(client, 'pg_try_advisory_lock')) {
        if (this.#held === 'shared') await isTrue(client, 'pg_advisory_unlock_shared')
        this.#held = 'alone'
        await this.#company.beAlone()
      } else if (this.#held === undefined) {
        await this.#ask(client)
        await this.#share(client)
      }
    })
  }

  /** What was done alone is handed on; the lock goes with the connection. */
  leave(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#held === 'alone') await this.#company.meet()
    })
  }

  /** Another node asks to come in. */
  asked(client: Client): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#held !== 'alone' || this.#lost) return
      await this.#company.meet()
      await client.query('SELECT pg_advisory_lock_shared($1)', [advisoryLocks.aloneness])
      this.#held = 'shared'
      await client.query('SELECT pg_advisory_unlock($1)', [advisoryLocks.aloneness])
    })
  }

  async #share(client: Client): Promise<void> {
    if (await isTrue(client, 'pg_try_advisory_lock_shared')) this.#held = 'shared'
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#doing.then(act)
    this.#doing = done.catch(() => {})
    return done
  }
}

async function isTrue(client: Client, lockFunction: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${lockFunction}($1) AS yes`, [advisoryLocks.aloneness])
  return rows[0]?.yes === true
}
