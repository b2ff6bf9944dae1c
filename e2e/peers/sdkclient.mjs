// A client on the TypeScript MCP SDK: it starts the server named by its arguments, calls the tool
// echo and prints what it saw as one line of JSON, as the command sdkclient beside it does.
//
//	node sdkclient.mjs auto|legacy|VERSION COMMAND [ARGUMENT...]

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [era, command, ...args] = process.argv.slice(2);
if (command === undefined) {
  console.error('usage: node sdkclient.mjs auto|legacy|VERSION COMMAND [ARGUMENT...]');
  process.exit(2);
}
const mode = era === 'auto' || era === 'legacy' ? era : { pin: era };
const client = new Client({ name: 'sdkclient', version: '1' }, { versionNegotiation: { mode } });

await client.connect(new StdioClientTransport({ command, args }));
try {
  const { tools } = await client.listTools();
  const answer = await client.callTool({ name: 'echo', arguments: { text: 'grüße' } });
  console.log(
    JSON.stringify({
      version: client.getNegotiatedProtocolVersion(),
      server: client.getServerVersion()?.name,
      tools: tools.map((tool) => tool.name),
      echo: answer.content[0].text,
    }),
  );
} finally {
  await client.close();
}
