import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { catalogue } from '../../src/surfaces/guides/catalogue.ts'
import { documentedCommands } from '../image/documented-commands.ts'
import { freshEnvironment, startGatehouse, stopped } from '../support/gatehouse-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { portsOf, settingsOf } from './settings.ts'

const root = join(import.meta.dirname, '../..')
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8').replace(/\\\n/g, ' ')
const [, packagesStage = '', clientsStage = '', imageStage = ''] = dockerfile.split(/^(?=FROM )/m)

/** Returns the arguments of every instruction with this name in a stage of the Dockerfile. */
function instructions(name: string, stage = imageStage): string[] {
  return [...stage.matchAll(new RegExp(`^\\s*${name} +(.*)$`, 'gm'))].map(([, words]) => words as string)
}

function only(name: string): string {
  const [words, ...more] = instructions(name)
  assert.ok(words !== undefined && more.length === 0, `${name} occurs once`)
  return words
}

const environment = Object.fromEntries(
  [...only('ENV').matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name as string, value as string]),
)

/** Source and target of each file that is copied from the repository into the image. */
const copied = instructions('COPY')
  .filter((words) => !words.startsWith('--from'))
  .flatMap((words) => {
    const paths = words.split(/\s+/)
    const to = paths.pop() as string
    return paths.map((from) => ({ from, to: to.endsWith('/') ? join(to, basename(from)) : to }))
  })

/** Returns the paths that a stage copies from the repository. */
function sourcesOf(stage: string): string[] {
  return instructions('COPY', stage).flatMap((words) => words.split(/\s+/).slice(0, -1))
}

/** Returns a folder with these files and all packages. Unlike a Docker container, it is not isolated from the machine. */
function folderWith(t: TestContext, files: readonly { from: string; to: string }[]): string {
  const folder = temporaryFolder(t)
  for (const { from, to } of files) {
    mkdirSync(dirname(join(folder, to)), { recursive: true })
    cpSync(join(root, from), join(folder, to), { recursive: true, filter: (path) => !path.includes('node_modules') })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

describe('our choice: the image (decision 0043)', () => {
  test('the image uses the Node version from package.json', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const stage of [packagesStage, imageStage]) {
      assert.match(instructions('FROM', stage)[0] ?? '', new RegExp(`^node:${dependencies.node}-slim`))
    }
  })

  test('the image’s settings are valid, and it exposes the ports that the service listens on', () => {
    const config = settingsOf(environment)
    assert.deepEqual(only('EXPOSE').split(/\s+/).map(Number), Object.values(portsOf(config)))
    assert.equal(config.dataDir, only('VOLUME'))
    assert.deepEqual([config.base.host, config.control.host], ['0.0.0.0', '127.0.0.1'])
  })

  test('the operations guide has the four blocks of commands that `npm run test:image` runs', () => {
    documentedCommands()
  })

  test('the image does not run as root', () => {
    assert.match(only('USER'), /^[1-9]\d*:[1-9]\d*$/)
  })

  test('.dockerignore lets through everything that the image copies', () => {
    const lets = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n')
    assert.equal(lets[0], '*')
    const built = [packagesStage, clientsStage].flatMap((stage) => sourcesOf(stage))
    for (const from of [...built, ...copied.map((copy) => copy.from)]) {
      const isLetIn = lets.some((line) => from === line.slice(1) || from.startsWith(`${line.slice(1)}/`))
      assert.ok(isLetIn, from)
    }
  })

  test('the service runs with only the image’s files, and the health check reflects whether the service responds', async (t) => {
    const folder = folderWith(t, copied)
    const [node, ...words] = [...JSON.parse(only('ENTRYPOINT')), ...JSON.parse(only('CMD'))] as string[]
    const own = await freshEnvironment(t)
    // An empty value counts as not set, and CONTROL_URL is not where the surface listens.
    const control = {
      CONTROL_URL: 'http://control.internal',
      CONTROL_PORT: new URL(own.CONTROL_URL as string).port,
      CONTROL_LISTEN_HOST: '',
    }
    const env = {
      ...environment,
      NODE_COMPILE_CACHE: join(folder, 'cache'),
      LISTEN_HOST: '127.0.0.1',
      ...own,
      ...control,
    }
    const [check, ...checkWords] = JSON.parse(only('HEALTHCHECK').replace(/^.*? CMD /, '')) as string[]
    assert.deepEqual([node, check], ['node', 'node'])
    const isHealthy = () => spawnSync(process.execPath, checkWords, { cwd: folder, env }).status === 0

    assert.equal(isHealthy(), false)
    const process_ = startGatehouse(t, [], env, [
      'sh',
      '-c',
      'cd "$0" && exec "$@"',
      folder,
      process.execPath,
      ...words,
    ])
    await process_.ready()
    assert.equal(isHealthy(), true)
    for (const { name } of catalogue) {
      assert.equal((await fetch(`${own.PORTAL_URL}/guides/${name}`)).status, 200, name)
    }
    await stopped(process_)
  })

  test('the client packages can be built from the files that their build stage copies, and the image contains the packages', (t) => {
    const paths = [packagesStage, clientsStage].flatMap((stage) => sourcesOf(stage))
    const copies = paths.map((path) => ({ from: path, to: path }))
    const folder = folderWith(t, copies)
    const [, ...build] = (instructions('RUN', clientsStage).at(-1) ?? '').split(' ')
    const { status, stderr } = spawnSync(process.execPath, build, { cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    assert.equal(readdirSync(join(folder, 'dist/packages')).length, 3)
    assert.ok(instructions('COPY').includes('--from=clients /opt/gatehouse/dist ./dist'))
  })

  test('the demo is not in the image, and the demo command says so', (t) => {
    const folder = folderWith(t, copied)
    const [, ...words] = JSON.parse(only('ENTRYPOINT')) as string[]
    const { status, stdout, stderr } = spawnSync(process.execPath, [...words, 'demo'], {
      cwd: folder,
      encoding: 'utf8',
    })
    assert.deepEqual([status, stdout], [1, ''])
    assert.equal(
      stderr,
      'gatehouse: the demo is not installed here; run it from a clone of the repository with npm run demo\n',
    )
  })
})
