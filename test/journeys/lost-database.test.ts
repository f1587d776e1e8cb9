import assert from 'node:assert/strict'
import { existsSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { ended, startFailure, startGatehouse, startInProcess } from '../support/gatehouse-process.ts'
import { operatedEnvironment } from '../support/service-process-client.ts'

type Environment = Record<string, string>

async function startAndStop(t: TestContext, env: Environment): Promise<void> {
  const running = await startInProcess(t, env)
  await running.stop()
}

async function usedDirectory(t: TestContext) {
  const env: Environment = await operatedEnvironment(t)
  await startAndStop(t, env)
  const folder = env.DATA_DIR as string
  return { env, folder, identity: join(folder, 'identity.sqlite'), queue: join(folder, 'queue.sqlite') }
}

async function assertDoctorSays(t: TestContext, env: Environment, line: string): Promise<void> {
  const doctor = await ended(startGatehouse(t, ['doctor'], env), 1)
  assert.ok(doctor.stdout.includes(line), doctor.stdout)
}

describe('our choice: startup fails with exit code 78 if one of the two databases is lost (0006)', () => {
  test('without identity.sqlite, or with an empty one, nothing is created; once it is back, the service starts', async (t) => {
    const { env, folder, identity } = await usedDirectory(t)
    renameSync(identity, `${identity}.away`)
    const problem = `${folder} has queue.sqlite, but identity.sqlite is lost`
    const remedy = 'restore both from a backup, or move queue.sqlite away to start without any data'
    const refusal = [78, `gatehouse: ${problem}; ${remedy}\n`]
    assert.deepEqual(await startFailure(t, env), refusal)
    assert.ok(!existsSync(identity))
    await assertDoctorSays(t, env, problem)
    writeFileSync(identity, '')
    assert.deepEqual(await startFailure(t, env), refusal)
    assert.equal(statSync(identity).size, 0)
    renameSync(`${identity}.away`, identity)
    await startAndStop(t, env)
  })

  test('without queue.sqlite the service starts only after the operator has created an empty one', async (t) => {
    const { env, folder, queue } = await usedDirectory(t)
    rmSync(queue)
    const problem = `${folder} has identity.sqlite, but queue.sqlite is lost`
    const remedy = 'restore both from a backup, or create an empty queue.sqlite to start without the webhooks in it'
    assert.deepEqual(await startFailure(t, env), [78, `gatehouse: ${problem}; ${remedy}\n`])
    assert.ok(!existsSync(queue))
    await assertDoctorSays(t, env, problem)
    writeFileSync(queue, '')
    await startAndStop(t, env)
    assert.ok(statSync(queue).size > 0)
  })

  test('a first start that was interrupted between the databases is not taken for a loss', async (t) => {
    const { env, queue } = await usedDirectory(t)
    // The first start creates queue.sqlite before identity.sqlite, and fills it after it.
    truncateSync(queue)
    rmSync(`${queue}-wal`, { force: true })
    rmSync(`${queue}-shm`, { force: true })
    await startAndStop(t, env)
  })
})
