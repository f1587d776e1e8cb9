import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { builtPackages, version } from '../support/built-packages.ts'
import { nodeRelease, nodeReleases } from '../support/node-releases.ts'

const root = join(import.meta.dirname, '../..')

/** A project outside the repository with the built client, and the program that the conformance kit runs. */
async function openProject(t: TestContext): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-node-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const installed = join(folder, 'node_modules/@gatehouse/runtime')
  mkdirSync(installed, { recursive: true })
  const archive = join(await builtPackages(), `gatehouse-runtime-${version}.tgz`)
  await promisify(execFile)('tar', ['-xzf', archive, '--strip-components=1', '-C', installed])
  const bot = stripTypeScriptTypes(readFileSync(join(root, 'clients/typescript/conformance/bot.ts'), 'utf8'))
  writeFileSync(join(folder, 'bot.mjs'), bot.replace("'../src/runtime.ts'", "'@gatehouse/runtime'"))
  return folder
}

describe('our choice: the TypeScript client works alike on each release of Node', () => {
  for (const release of nodeReleases) {
    test(`the built client passes every case of the conformance kit on Node ${release}`, async (t) => {
      const bot = join(await openProject(t), 'bot.mjs')
      const kit = spawn(process.execPath, [
        join(root, 'clients/conformance/run.mjs'),
        '--',
        await nodeRelease(release),
        bot,
      ])
      const output = await text(kit.stdout)
      assert.match(output, /^(\d+) of \1 cases passed$/m, output)
    })
  }
})
