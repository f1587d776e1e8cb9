import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { exitCodes } from '../../src/process/start-fault.ts'
import { settingsOf } from './settings.ts'

const root = join(import.meta.dirname, '../..')
const lines = readFileSync(join(root, 'deploy/gatehouse.service'), 'utf8').split('\n')
const values = (name: string) =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))

describe('our choice: a node under systemd (decision 0043)', () => {
  test('each line is a section, a comment or an assignment', () => {
    for (const line of lines) assert.match(line, /^$|^#|^\[(Unit|Service|Install)\]$|^[A-Z]\w+=/)
  })

  test('it starts what `npm start` starts', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const [program = '', ...words] = (values('ExecStart')[0] ?? '').split(' ')
    assert.ok(scripts.start.endsWith(`exec node ${words.join(' ')}`))
    const [folder = ''] = values('WorkingDirectory')
    assert.ok(existsSync(join(root, program.replace(folder, ''))))
  })

  test('its settings are settings, and its data lie in the directory that systemd makes for it', () => {
    const config = settingsOf(
      Object.fromEntries(values('Environment').map((assignment) => assignment.split('=', 2) as [string, string])),
    )
    assert.equal(config.dataDir, `/var/lib/${values('StateDirectory')[0]}`)
  })

  test('it has time to drain, and is not started again and again with a setting that can’t be used', () => {
    assert.ok(Number(values('TimeoutStopSec')[0]) > 10)
    assert.deepEqual(values('RestartPreventExitStatus')[0]?.split(' ').map(Number), [
      exitCodes.usage,
      exitCodes.configuration,
    ])
  })
})
