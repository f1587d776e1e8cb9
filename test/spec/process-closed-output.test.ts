import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { freshEnvironment, startGatehouse } from '../support/gatehouse-process.ts'
import { startInProcess } from '../support/start-in-process.ts'

/** Runs `gatehouse <words> | <reader>`. Standard error ends with the command's exit code. */
function piped(t: TestContext, words: readonly string[], reader: string, env: Record<string, string>) {
  const script = `("$0" src/main.ts "$@"; echo "exit code $?" >&2) | ${reader}`
  return startGatehouse(t, words, env, ['sh', '-c', script, process.execPath])
}

describe('our choice: a command whose output is closed early ends without a stack trace', () => {
  test('gatehouse doctor | head -1 prints one finding', async (t) => {
    const env = { ...(await freshEnvironment(t)), BASE_URL: 'http://192.0.2.1:9', LISTEN_HOST: '127.0.0.1' }
    const doctor = piped(t, ['doctor'], 'head -1', env)
    await doctor.exited
    assert.match(doctor.stdout(), /^warning +settings +BASE_URL is .+\n$/)
    assert.match(doctor.stderr(), /^exit code [01]\n$/)
  })

  test('a command that changes something completes the change even if its output is closed', async (t) => {
    const env = await freshEnvironment(t)
    const service = await startInProcess(t, env)
    const target = join(env.DATA_DIR, '../backup')
    for (const words of [['--help'], ['--version'], ['operator-key'], ['backup', target]]) {
      const command = piped(t, words, 'true', env)
      await command.exited
      assert.equal(command.stderr(), 'exit code 0\n', words.join(' '))
    }
    await service.stop()
    const restored = { ...env, DATA_DIR: join(env.DATA_DIR, '../restored') }
    for (const words of [['restore', target], ['rotate-secret-key']]) {
      const command = piped(t, words, 'true', restored)
      await command.exited
      assert.equal(command.stderr(), 'exit code 0\n', words.join(' '))
    }
    assert.ok(existsSync(join(restored.DATA_DIR, 'identity.sqlite')))
    await startInProcess(t, restored)
  })

  test('the service keeps running after its log output is closed', async (t) => {
    const env: Record<string, string> = { ...(await freshEnvironment(t)), ACCESS_LOG: 'true' }
    const service = piped(t, ['serve'], 'true', env)
    await service.ready()
    for (let n = 0; n < 20; n += 1) assert.equal((await fetch(`${env.CONTROL_URL}/livez`)).status, 200)
    assert.doesNotMatch(service.stderr(), /EPIPE|exit code/)
  })

  test('the demo exits and removes its data when its output is closed', async (t) => {
    const env = await freshEnvironment(t)
    const folder = dirname(env.DATA_DIR)
    const demo = piped(t, ['demo'], 'head -1', { ...env, TMPDIR: folder })
    await demo.exited
    assert.equal(demo.stderr(), 'exit code 0\n')
    assert.equal(demo.stdout(), 'Starting the service …\n')
    assert.deepEqual(readdirSync(folder), [])
  })
})
