import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the commands in the section "In a container" of docs/operations.md, one string per code block.
 *
 * @throws AssertionError if they aren't those that `npm run test:image` expects, such as after an edit of the section.
 */
export function documentedCommands(): { build: string; start: string; backUp: string; restore: string } {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')
  const [section = ''] = /^### In a container$[\s\S]*?^##/m.exec(guide) ?? []
  const blocks = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands]) => commands as string)
  const commands = [/^ *docker build /, /^ *docker run -d /, / gatehouse backup /, / gatehouse restore /]
  assert.equal(blocks.length, commands.length)
  for (const [index, command] of commands.entries()) assert.match(blocks[index] as string, command)
  const [build, start, backUp, restore] = blocks as [string, string, string, string]
  return { build, start, backUp, restore }
}
