import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { exitCodes } from '../../src/commands/start-fault.ts'
import { settingsOf } from './settings.ts'

const root = join(import.meta.dirname, '../..')
const lines = readFileSync(join(root, 'deploy/gatehouse.service'), 'utf8').split('\n')
const values = (name: string) =>
  lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))

describe('our choice: a node under systemd (decision 0043)', () => {
  test('each line of the unit is empty, a section header, a comment or an assignment', () => {
    for (const line of lines) assert.match(line, /^$|^#|^\[(Unit|Service|Install)\]$|^[A-Z]\w+=/)
  })

  test('the unit runs the same program as `npm start`', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const [program = '', ...words] = (values('ExecStart')[0] ?? '').split(' ')
    assert.ok(scripts.start.endsWith(`exec node ${words.join(' ')}`))
    const [folder = ''] = values('WorkingDirectory')
    assert.ok(existsSync(join(root, program.replace(folder, ''))))
  })

  test('the unit’s settings are valid; its data directory must exist and belongs to a fixed user', () => {
    const config = settingsOf(
      Object.fromEntries(values('Environment').map((assignment) => assignment.split('=', 2) as [string, string])),
    )
    const folders = ['AssertPathIsDirectory', 'ReadWritePaths'].map((name) => values(name))
    assert.deepEqual(folders, [[config.dataDir], [config.dataDir]])
    const owners = ['User', 'Group', 'DynamicUser', 'StateDirectory'].map((name) => values(name))
    assert.deepEqual(owners, [['gatehouse'], ['gatehouse'], [], []])
  })

  test('there is only one unit, and the command `gatehouse` runs with its user, settings, data and program', () => {
    const docs = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    assert.doesNotMatch(docs, /^ExecStart=|^\[Service\]/m)
    assert.match(docs, /install -m 0755 \/opt\/gatehouse\/deploy\/gatehouse \/usr\/local\/bin\//)
    const command = readFileSync(join(root, 'deploy/gatehouse'), 'utf8')
    for (const part of [
      `--uid=${values('User')[0]}`,
      `--gid=${values('Group')[0]}`,
      `EnvironmentFile=${values('EnvironmentFile')[0]}`,
      `--setenv=${values('Environment').find((assignment) => assignment.startsWith('DATA_DIR='))}`,
      `--working-directory=${values('WorkingDirectory')[0]}`,
      `${values('ExecStart')[0]?.split(' ')[0]} src/main.ts "$@"`,
    ]) {
      assert.ok(command.includes(part), part)
    }
  })

  test('the service has time to drain, and is restarted without limit, except after a configuration error', () => {
    assert.deepEqual([values('Restart'), values('StartLimitIntervalSec')], [['on-failure'], ['0']])
    assert.ok(Number(values('TimeoutStopSec')[0]) > 10)
    assert.deepEqual(values('RestartPreventExitStatus')[0]?.split(' ').map(Number), [
      exitCodes.usage,
      exitCodes.configuration,
    ])
  })
})
