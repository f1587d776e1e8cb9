import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { startProgram } from '../support/gatehouse-process.ts'
import { ask } from '../support/postgres/with-client.ts'
import { freePorts } from '../support/world.ts'
import { type Etcd, openEtcd } from './etcd.ts'

const configuration = readFileSync(join(import.meta.dirname, '../../deploy/patroni/patroni.yml'), 'utf8')
const gatehousePassword = 'gatehouse'
const healthyWithinMs = 180_000

/** A database server: Patroni and the PostgreSQL that it runs. */
interface Member {
  name: string
  /** All processes of the member have this group, and no other process has it. */
  gid: number
  postgresPort: number
  restPort: number
  folder: string
}

interface MemberState {
  name: string
  role: 'leader' | 'sync_standby' | 'replica'
  state: string
  timeline: number
  lag?: number
}

/**
 * A cluster of three PostgreSQL servers under Patroni on loopback, configured by `deploy/patroni`. Can inject faults.
 */
export class PatroniCluster {
  readonly etcd: Etcd
  readonly #t: TestContext
  readonly #binDir: string
  readonly #members: readonly Member[]
  readonly #table = `gatehouse_failover_${process.pid}`

  private constructor(t: TestContext, parts: { etcd: Etcd; binDir: string; members: readonly Member[] }) {
    this.etcd = parts.etcd
    this.#t = t
    this.#binDir = parts.binDir
    this.#members = parts.members
  }

  /** Starts the cluster and creates the database `gatehouse`. Removes everything when the test ends. */
  static async open(t: TestContext, binDir: string): Promise<PatroniCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-failover-'))
    const uid = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }))
    const ports = await freePorts(6)
    const firstGid = 20_000 + (process.pid % 10_000) * 3
    const members = ['postgres-a', 'postgres-b', 'postgres-c'].map((name, n): Member => {
      const own = join(folder, name)
      mkdirSync(own)
      const [postgresPort, restPort] = ports.slice(2 * n) as [number, number]
      return { name, gid: firstGid + n, postgresPort, restPort, folder: own }
    })
    for (const path of [folder, ...members.map((member) => member.folder)]) chownSync(path, uid, 0)
    const cluster = new PatroniCluster(t, { etcd: await openEtcd(t, folder), binDir, members })
    t.after(async () => {
      await cluster.reconnect()
      for (const member of members) await cluster.kill(member)
      rmSync(folder, { recursive: true, force: true })
    })
    for (const member of members) cluster.start(member)
    await cluster.untilHealthy()
    const { postgresPort } = await cluster.memberWith('leader')
    const { username, password } = parse(configuration).postgresql.authentication.superuser
    const superuser = `postgres://${username}:${password}@127.0.0.1:${postgresPort}/postgres`
    await ask(superuser, `CREATE ROLE gatehouse LOGIN PASSWORD '${gatehousePassword}'`)
    await ask(superuser, 'CREATE DATABASE gatehouse OWNER gatehouse')
    return cluster
  }

  get url(): string {
    const hosts = this.#members.map(({ postgresPort }) => `127.0.0.1:${postgresPort}`)
    return `postgres://gatehouse:${gatehousePassword}@${hosts.join()}/gatehouse?target_session_attrs=read-write`
  }

  async memberWith(role: MemberState['role']): Promise<Member> {
    const name = (await this.#states()).find((state) => state.role === role)?.name
    const member = this.#members.find((one) => one.name === name)
    assert.ok(member, `a member is ${role}`)
    return member
  }

  /** Resolves once there is a leader and all others follow it, one of them as synchronous standby. */
  async untilHealthy(): Promise<void> {
    let states: readonly MemberState[] = []
    for (const untilMs = Date.now() + healthyWithinMs; Date.now() < untilMs; await wait(500)) {
      states = await this.#states().catch(() => [])
      const leader = states.find(({ role }) => role === 'leader')
      const following = states.filter(
        ({ role, state, timeline, lag }) =>
          role !== 'leader' && /running|streaming/.test(state) && timeline === leader?.timeline && lag === 0,
      )
      const synchronous = states.some(({ role }) => role === 'sync_standby')
      if (leader?.state === 'running' && following.length === this.#members.length - 1 && synchronous) return
    }
    throw new Error(`the cluster did not recover: ${JSON.stringify(states)}`)
  }

  start(member: Member): void {
    const [listen, restListen] = [address(member.postgresPort), address(member.restPort)]
    const config = parse(configuration.replaceAll('10.0.0.0/24', '127.0.0.1/32'))
    config.name = member.name
    config.etcd.hosts = [this.etcd.host]
    Object.assign(config.restapi, { listen: restListen, connect_address: restListen })
    Object.assign(config.postgresql, {
      listen,
      connect_address: listen,
      data_dir: join(member.folder, 'data'),
      bin_dir: this.#binDir,
      pgpass: join(member.folder, 'pgpass'),
    })
    Object.assign(config.postgresql.parameters, {
      unix_socket_directories: member.folder,
      // Keeps shared memory in files in the data directory, which is removed. So a killed server leaves none behind.
      dynamic_shared_memory_type: 'mmap',
    })
    config.watchdog.mode = 'off'
    const file = join(member.folder, 'patroni.yml')
    writeFileSync(file, stringify(config))
    const as = ['setpriv', '--reuid=postgres', `--regid=${member.gid}`, '--clear-groups'] as const
    startProgram(this.#t, [...as, 'patroni', file], { HOME: member.folder })
  }

  async switchover(): Promise<void> {
    const leader = await this.memberWith('leader')
    const { username, password } = parse(configuration).restapi.authentication
    const answer = await fetch(`http://${address(leader.restPort)}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader.name }),
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    })
    assert.equal(answer.status, 200, await answer.text())
  }

  /** Kills Patroni and PostgreSQL, as when a machine loses power. */
  async kill(member: Member): Promise<void> {
    for (; processesOf(member).length > 0; await wait(20)) signal(member, 'SIGKILL')
  }

  freeze(member: Member): void {
    signal(member, 'SIGSTOP')
  }

  thaw(member: Member): void {
    signal(member, 'SIGCONT')
  }

  /** Drops all packets to and from the member, without telling either end. */
  cutOff({ gid, postgresPort, restPort }: Member): void {
    const ports = `{ ${postgresPort}, ${restPort} }`
    nft(`table inet ${this.#table} {
      chain output {
        type filter hook output priority 0
        meta skgid ${gid} drop
        tcp sport ${ports} drop
        tcp dport ${ports} drop
      }
    }`)
  }

  reconnect(): void {
    nft(`table inet ${this.#table}; delete table inet ${this.#table}`)
  }

  /** Asks the members one after another, because some may be down. */
  async #states(): Promise<MemberState[]> {
    for (const { restPort } of this.#members) {
      const signal = AbortSignal.timeout(1_000)
      const answer = await fetch(`http://${address(restPort)}/cluster`, { signal }).catch(() => undefined)
      if (answer?.ok) return ((await answer.json()) as { members: MemberState[] }).members
    }
    throw new Error('no member answers')
  }
}

function address(port: number): string {
  return `127.0.0.1:${port}`
}

function nft(ruleset: string): void {
  execFileSync('nft', ['-f', '-'], { input: ruleset })
}

function signal(member: Member, name: NodeJS.Signals): void {
  for (const pid of processesOf(member)) {
    try {
      process.kill(pid, name)
    } catch {
      // The process has already ended.
    }
  }
}

/** Returns the member's processes that are still running. */
function processesOf({ gid }: Member): number[] {
  return globSync('/proc/[0-9]*/status').flatMap((file) => {
    try {
      const status = readFileSync(file, 'utf8')
      const running = new RegExp(`^Gid:\\t${gid}\\t`, 'm').test(status) && !/^State:\tZ/m.test(status)
      return running ? [Number(file.split('/')[2])] : []
    } catch {
      return []
    }
  })
}
