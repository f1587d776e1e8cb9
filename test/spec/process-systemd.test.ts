import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { serve, startGatehouse, stopped } from '../support/gatehouse-process.ts'
import { operatedEnvironment } from '../support/service-process-client.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/**
 * Writes a `systemd-notify` command that records its arguments, for machines without systemd. `reports` returns them in
 * the order in which the commands started, because a later one can finish first. Field 22 of `/proc/<pid>/stat` is the
 * start time.
 */
function standInNotify(t: TestContext, exitCode = 0) {
  const folder = temporaryFolder(t)
  const record = join(folder, 'record')
  const script = `#!/bin/sh\necho "$(cut -d' ' -f22 /proc/$$/stat) $NOTIFY_SOCKET $*" >> ${record}\nexit ${exitCode}\n`
  writeFileSync(join(folder, 'systemd-notify'), script)
  chmodSync(join(folder, 'systemd-notify'), 0o755)
  return {
    path: `${folder}:${process.env.PATH}`,
    reports() {
      const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []
      const startedAt = (line: string) => Number.parseInt(line, 10)
      return lines.sort((one, other) => startedAt(one) - startedAt(other)).map((line) => line.replace(/^\d+ /, ''))
    },
  }
}

describe('our choice: a service started by systemd reports its state (decision 0043)', () => {
  test('under systemd, the service reports when it is ready, then that it is running, then that it is stopping', async (t) => {
    const notify = standInNotify(t)
    const env = await operatedEnvironment(t)
    const systemd = { PATH: notify.path, NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '600000' }
    const ready = '/run/notify READY=1'
    const running = await serve(t, { ...env, ...systemd })
    await eventually(() => (notify.reports().length >= 3 && notify.reports().includes(ready)) || undefined)
    await stopped(running)
    const reports = await eventually(() => {
      const all = notify.reports()
      return all.includes('/run/notify STOPPING=1') ? all : undefined
    })
    assert.equal(reports[0], ready)
    assert.deepEqual([...new Set(reports)].sort(), [ready, '/run/notify STOPPING=1', '/run/notify WATCHDOG=1'])
  })

  test('the service reports nothing to systemd if the unit asks for no reports', async (t) => {
    const notify = standInNotify(t)
    const env = await operatedEnvironment(t)
    const running = await serve(t, { ...env, PATH: notify.path })
    await stopped(running)
    assert.deepEqual(notify.reports(), [])
  })

  test('the service keeps running and logs a warning if a report to systemd fails', async (t) => {
    const notify = standInNotify(t, 1)
    const env = await operatedEnvironment(t)
    const running = startGatehouse(t, ['serve'], { ...env, PATH: notify.path, NOTIFY_SOCKET: '/run/notify' })
    await running.waitForOutput('systemd notification failed')
    await eventually(async () => (await fetch(`${env.CONTROL_URL}/readyz`)).status === 200 || undefined)
  })
})
