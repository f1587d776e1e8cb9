import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chownSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { parse, stringify } from 'yaml'
import { freePorts } from '../support/free-ports.ts'
import { startProgram } from '../support/gatehouse-process.ts'
import { ask } from '../support/postgres/with-client.ts'
import { openEtcd } from './etcd.ts'

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

export type PatroniCluster = Awaited<ReturnType<typeof openPatroniCluster>>

/**
 * Starts a cluster of three PostgreSQL servers under Patroni on loopback, configured by `deploy/patroni`, and creates
 * the database `gatehouse`. Can inject faults. Removes everything when the test ends.
 */
export async function openPatroniCluster(t: TestContext, binDir: string) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-failover-'))
  const table = `gatehouse_failover_${process.pid}`
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
  const etcd = await openEtcd(t, folder)
  t.after(async () => {
    reconnect()
    for (const member of members) await kill(member)
    rmSync(folder, { recursive: true, force: true })
  })

  function start(member: Member): void {
    const [listen, restListen] = [address(member.postgresPort), address(member.restPort)]
    const config = parse(configuration.replaceAll('10.0.0.0/24', '127.0.0.1/32'))
    config.name = member.name
    config.etcd.hosts = [etcd.host]
    Object.assign(config.restapi, { listen: restListen, connect_address: restListen })
    Object.assign(config.postgresql, {
      listen,
      connect_address: listen,
      data_dir: join(member.folder, 'data'),
      bin_dir: binDir,
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
    startProgram(t, [...as, 'patroni', file], { HOME: member.folder })
  }

  /** Asks the members one after another, because some may be down. */
  async function states(): Promise<MemberState[]> {
    for (const { restPort } of members) {
      const signal = AbortSignal.timeout(1_000)
      const answer = await fetch(`http://${address(restPort)}/cluster`, { signal }).catch(() => undefined)
      if (answer?.ok) return ((await answer.json()) as { members: MemberState[] }).members
    }
    throw new Error('no member answers')
  }

  async function memberWith(role: MemberState['role']): Promise<Member> {
    const name = (await states()).find((state) => state.role === role)?.name
    const member = members.find((one) => one.name === name)
    assert.ok(member, `a member is ${role}`)
    return member
  }

  /** Resolves once there is a leader and all others follow it, one of them as synchronous standby. */
  async function untilHealthy(): Promise<void> {
    let found: readonly MemberState[] = []
    for (const untilMs = Date.now() + healthyWithinMs; Date.now() < untilMs; await wait(500)) {
      found = await states().catch(() => [])
      const leader = found.find(({ role }) => role === 'leader')
      const following = found.filter(
        ({ role, state, timeline, lag }) =>
          role !== 'leader' && /running|streaming/.test(state) && timeline === leader?.timeline && lag === 0,
      )
      const synchronous = found.some(({ role }) => role === 'sync_standby')
      if (leader?.state === 'running' && following.length === members.length - 1 && synchronous) return
    }
    throw new Error(`the cluster did not recover: ${JSON.stringify(found)}`)
  }

  async function switchover(): Promise<void> {
    const leader = await memberWith('leader')
    const { username, password } = parse(configuration).restapi.authentication
    const answer = await fetch(`http://${address(leader.restPort)}/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader: leader.name }),
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
    })
    assert.equal(answer.status, 200, await answer.text())
  }

  /** Kills Patroni and PostgreSQL, as when a machine loses power. */
  async function kill(member: Member): Promise<void> {
    for (; processesOf(member).length > 0; await wait(20)) signal(member, 'SIGKILL')
  }

  /** Drops all packets to and from the member, without telling either end. */
  function cutOff({ gid, postgresPort, restPort }: Member): void {
    const ports = `{ ${postgresPort}, ${restPort} }`
    nft(`table inet ${table} {
      chain output {
        type filter hook output priority 0
        meta skgid ${gid} drop
        tcp sport ${ports} drop
        tcp dport ${ports} drop
      }
    }`)
  }

  function reconnect(): void {
    nft(`table inet ${table}; delete table inet ${table}`)
  }

  for (const member of members) start(member)
  await untilHealthy()
  const { postgresPort } = await memberWith('leader')
  const { username, password } = parse(configuration).postgresql.authentication.superuser
  const superuser = `postgres://${username}:${password}@127.0.0.1:${postgresPort}/postgres`
  await ask(superuser, `CREATE ROLE gatehouse LOGIN PASSWORD '${gatehousePassword}'`)
  await ask(superuser, 'CREATE DATABASE gatehouse OWNER gatehouse')
  const hosts = members.map((member) => `127.0.0.1:${member.postgresPort}`)
  return {
    url: `postgres://gatehouse:${gatehousePassword}@${hosts.join()}/gatehouse?target_session_attrs=read-write`,
    ...{ etcd, memberWith, untilHealthy, start, switchover, kill, cutOff, reconnect },
    freeze: (member: Member) => signal(member, 'SIGSTOP'),
    thaw: (member: Member) => signal(member, 'SIGCONT'),
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
