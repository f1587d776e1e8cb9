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

  test('the unit starts what `npm start` starts', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const [program = '', ...words] = (values('ExecStart')[0] ?? '').split(' ')
    assert.ok(scripts.start.endsWith(`exec node ${words.join(' ')}`))
    const [folder = ''] = values('WorkingDirectory')
    assert.ok(existsSync(join(root, program.replace(folder, ''))))
  })

  test('the unit’s settings are valid; its data directory belongs to a fixed user and must exist', () => {
    const config = settingsOf(
      Object.fromEntries(values('Environment').map((assignment) => assignment.split('=', 2) as [string, string])),
    )
    assert.deepEqual(
      ['AssertPathIsDirectory', 'ReadWritePaths'].map((name) => values(name)),
      [[config.dataDir], [config.dataDir]],
    )
    assert.deepEqual(
      ['User', 'Group', 'DynamicUser', 'StateDirectory'].map((name) => values(name)),
      [['gatehouse'], ['gatehouse'], [], []],
    )
  })

  test('there is only one unit, and the commands in the docs run with its user, settings, data and program', () => {
    const docs = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    assert.doesNotMatch(docs, /^ExecStart=|^\[Service\]/m)
    const [command = ''] = /^ {2}systemd-run [^}]+/m.exec(docs) ?? []
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

  test('the service has time to drain and is not restarted after a configuration error', () => {
    assert.ok(Number(values('TimeoutStopSec')[0]) > 10)
    assert.deepEqual(values('RestartPreventExitStatus')[0]?.split(' ').map(Number), [
      exitCodes.usage,
      exitCodes.configuration,
    ])
  })
})
