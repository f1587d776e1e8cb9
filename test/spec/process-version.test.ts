import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildInWords, readBuild } from '../../src/commands/build.ts'
import { freshEnvironment, serve, startGatehouse } from '../support/gatehouse-process.ts'
import { lacks } from '../support/shell-commands.ts'
import { build, openWorld } from '../support/world.ts'

const hash = '89abcdef0123456789abcdef0123456789abcdef'

/** Returns a folder that contains a package of version 4.5.6 and, if given, a COMMIT file. */
function packageFolder(t: TestContext, commit?: string): { path: string; url: URL } {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-build-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  writeFileSync(join(path, 'package.json'), '{"version":"4.5.6"}')
  if (commit !== undefined) writeFileSync(join(path, 'COMMIT'), commit)
  return { path, url: pathToFileURL(`${path}/`) }
}

describe('our choice: the release names its version and commit', () => {
  test('the commit of the release comes from the file that packaging writes', (t) => {
    const read = readBuild(packageFolder(t, `${hash}\n`).url)
    assert.deepEqual(read, { version: '4.5.6', commit: '89abcdef0123' })
    assert.equal(buildInWords(read), '4.5.6 (89abcdef0123)')
  })

  test('in a Git clone, where the file has only a placeholder, the commit is read from Git', (t) => {
    if (lacks(t, 'git')) return
    const { path, url } = packageFolder(t, '$Format:%H$\n')
    const git = (...words: string[]) =>
      spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
        cwd: path,
        encoding: 'utf8',
      })
    git('init')
    git('commit', '--allow-empty', '-m', 'one')
    const commit = git('rev-parse', 'HEAD').stdout.slice(0, 12)
    assert.match(commit, /^[0-9a-f]{12}$/)
    assert.deepEqual(readBuild(url), { version: '4.5.6', commit })
    if (process.getuid?.() !== 0) return t.diagnostic('only root can give the clone to another user')
    chownSync(path, 65_534, 65_534)
    assert.deepEqual(readBuild(url), { version: '4.5.6', commit }, 'a clone of another user')
  })

  test('the commit is omitted if neither the file nor Git has it, even if the package is installed inside another Git repository', (t) => {
    for (const commit of [undefined, '', '$Format:%H$', 'main\n']) {
      const read = readBuild(packageFolder(t, commit).url)
      assert.deepEqual(read, { version: '4.5.6', commit: undefined })
      assert.equal(buildInWords(read), '4.5.6')
    }
    const { path } = packageFolder(t)
    spawnSync('git', ['init'], { cwd: path })
    const inside = join(path, 'node_modules/gatehouse')
    mkdirSync(inside, { recursive: true })
    writeFileSync(join(inside, 'package.json'), '{"version":"4.5.6"}')
    assert.deepEqual(readBuild(pathToFileURL(`${inside}/`)), { version: '4.5.6', commit: undefined })
  })

  test('git archive writes the commit into the COMMIT file', () => {
    const root = join(import.meta.dirname, '../..')
    assert.equal(readFileSync(join(root, 'COMMIT'), 'utf8'), '$Format:%H$\n')
    assert.match(readFileSync(join(root, '.gitattributes'), 'utf8'), /^COMMIT export-subst$/m)
  })

  test('--version, the ready line in the log and the running service name the same release', async (t) => {
    const { version, commit } = readBuild()
    const asked = startGatehouse(t, ['--version'], {})
    assert.equal(await asked.exited, 0)
    assert.equal(asked.stdout(), `${buildInWords({ version, commit })}\n`)
    const env = await freshEnvironment(t)
    const service = await serve(t, env)
    await service.waitForOutput('"msg":"ready"')
    const ready = service
      .stdout()
      .split('\n')
      .find((line) => line.includes('"msg":"ready"'))
    const { version: loggedVersion, commit: loggedCommit } = JSON.parse(ready ?? '')
    assert.deepEqual([loggedVersion, loggedCommit], [version, commit])
    const live = await (await fetch(`${env.CONTROL_URL}/livez`)).json()
    assert.deepEqual([live.version, live.commit], [version, commit])
  })

  test('/metrics has gatehouse_build_info with version and commit', async (t) => {
    const world = await openWorld(t)
    const metrics = await (await fetch(`${world.controlUrl}/metrics`)).text()
    const { version, commit } = build
    assert.ok(metrics.includes(`\ngatehouse_build_info{version="${version}",commit="${commit}"} 1\n`))
  })
})
