/**
 * Owns the console in the browser: skills, approvals, deploys and tokens, through the same API as every other client. The token stays in this tab's
 * session storage. Whatever comes from the service is put in as text; nothing is ever read as markup.
 */

const TOKEN = "edge-skills.token";
const TENANT = "edge-skills.tenant";
const SCOPES = ["read", "run", "write", "approve", "deploy", "admin"];
/** How often a list of approvals that is looked at is read anew, milliseconds. */
const AGAIN_MS = 5_000;
/** Channels whose state is read for one page of them. */
const PAGE_CHANNELS = 30;

const main = document.querySelector("main");
const said = document.querySelector("#said");
const leave = document.querySelector("#leave");
const tenantForm = document.querySelector("#tenant");

/** Counts what was asked to be shown, so that a slow answer never takes the place of a newer one. */
let turn = 0;
let timer = 0;

/** What the service refused, in its own words. */
class Refused extends Error {}

/** Makes an element of attributes, listeners (`onclick`) and children; a string is text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value !== false && value !== null) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children);
  return element;
}

/** A text of somebody else's making, with what cannot be seen or turns the line around written out. */
function visible(text) {
  return String(text).replace(
    /[^\P{C}\n\t]|[\u2028\u2029\u115f\u1160\u3164\uffa0]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );
}

function say(text, kind = "") {
  said.textContent = visible(text);
  said.className = kind;
}

/** Asks the API. Throws {@link Refused} with its words; a token that does not count is forgotten. */
async function ask(path, { method = "GET", body = null } = {}) {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(TOKEN)}` };
  const init = { method, headers, cache: "no-store", credentials: "omit", redirect: "error" };
  const response = await fetch(path, body === null ? init : { ...init, body: JSON.stringify(body) });
  const answer = response.status === 204 ? null : await response.json();
  if (response.status === 401) {
    sessionStorage.removeItem(TOKEN);
    show();
  }
  if (!response.ok) {
    throw new Refused(answer?.detail ?? `The service answered ${response.status}`);
  }
  return answer;
}

/** The same for the tenant that is looked at: the one of an approval's address, or the one that was typed. */
function askFor(path, init) {
  const tenant = new URLSearchParams(location.search).get("tenant") ?? sessionStorage.getItem(TENANT) ?? "";
  return ask(tenant === "" ? path : `${path}?tenant=${encodeURIComponent(tenant)}`, init);
}

/** Does something and tells how it went. */
async function doing(work, words) {
  try {
    await work();
    say(words);
  } catch (error) {
    say(error instanceof Refused ? error.message : `The service cannot be reached: ${error.message}`, "bad");
  }
}

function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return make("dl", {}, ...known.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, visible(value))]));
}

function time(iso) {
  return iso === null || iso === undefined ? null : new Date(iso).toLocaleString();
}

// Approvals

function approvalCard(approval) {
  const { id, tool, skill, item, status, askers } = approval;
  const shown =
    approval.arguments === null ? "none, or too long to be shown" : JSON.stringify(approval.arguments, null, 2);
  const card = make(
    "article",
    { "data-approval": id },
    make("h2", {}, visible(`${skill.name} › ${item ?? tool}`)),
    facts([
      ["Status", status],
      ["Asked by token", (askers ?? [approval.asked_by]).join(", ")],
      ["On behalf of", approval.actor],
      ["Session", approval.session],
      ["May reach", approval.network?.join(", ") || "no network"],
      ["Limits", limitsIn(approval.input)],
      ["Skill's digest", skill.digest],
      ["Asked", time(approval.created_at)],
      ["Counts until", time(approval.expires_at)],
      ["Decided by token", approval.decided_by],
      ["Decided", time(approval.decided_at)],
    ]),
    make("p", {}, "Arguments:"),
    make("pre", { tabindex: 0, "aria-label": "Arguments" }, visible(shown)),
    ...inputOf(approval.input),
  );
  if (status === "pending") {
    card.append(decisionForm(id));
  }
  return card;
}

/** Standard input and files of a call, as far as they are kept to be shown. */
function inputOf(input) {
  if (!input) {
    return [];
  }
  const { stdin, stdin_bytes, files, file_count } = input;
  const isCut = new TextEncoder().encode(stdin).byteLength < stdin_bytes;
  const words = isCut ? `Standard input, the beginning of ${stdin_bytes} bytes:` : "Standard input:";
  const named = files.map(({ path, size }) => make("li", {}, visible(`${path}, ${size} bytes`)));
  const more = file_count > files.length ? [make("li", {}, `and ${file_count - files.length} more`)] : [];
  return [
    ...(stdin_bytes > 0
      ? [make("p", {}, words), make("pre", { tabindex: 0, "aria-label": "Standard input" }, visible(stdin))]
      : []),
    ...(file_count > 0 ? [make("p", {}, "Files that come along:"), make("ul", {}, ...named, ...more)] : []),
  ];
}

function limitsIn(input) {
  const limits = Object.entries(input?.limits ?? {});
  return limits.map(([name, value]) => `${name} ${value}`).join(", ");
}

function decisionForm(id) {
  const choices = [
    ["once", "this call, once"],
    ["call", "this same call, from now on"],
    ["script", "this script, whatever its arguments"],
  ].map(([value, words]) =>
    make(
      "label",
      {},
      make("input", { type: "radio", name: "remember", value, checked: value === "once" }),
      ` ${words}`,
    ),
  );
  const decide = (decision) => (event) => {
    event.preventDefault();
    const remember = decision === "approve" ? form.elements.remember.value : "once";
    doing(
      async () => {
        const decided = await askFor(`/v1/approvals/${encodeURIComponent(id)}`, {
          method: "POST",
          body: { decision, remember },
        });
        form.closest("article").replaceWith(approvalCard(decided));
      },
      decision === "approve" ? "Approved." : "Denied.",
    );
  };
  const form = make(
    "form",
    { onsubmit: (event) => event.preventDefault() },
    make("fieldset", {}, make("legend", {}, "Approve for"), ...choices),
    make(
      "p",
      { class: "row" },
      make("button", { type: "button", class: "yes", onclick: decide("approve") }, "Approve"),
      make("button", { type: "button", class: "no", onclick: decide("deny") }, "Deny"),
    ),
  );
  return form;
}

async function oneApproval(id) {
  const approval = await askFor(`/v1/approvals/${encodeURIComponent(id)}`);
  return [make("h1", {}, "A call waits for you"), approvalCard(approval)];
}

async function approvals(mine) {
  const list = make("div", { "aria-live": "polite" });
  const read = async () => {
    const { approvals: waiting } = await askFor("/v1/approvals");
    if (mine !== turn) {
      return;
    }
    const known = new Set([...list.children].map((card) => card.dataset.approval));
    const ids = new Set(waiting.map(({ id }) => id));
    for (const card of [...list.children]) {
      // What was decided here stays to be seen.
      if (!ids.has(card.dataset.approval) && card.querySelector("form") !== null) {
        card.remove();
      }
    }
    list.querySelector("p.none")?.remove();
    list.append(...waiting.filter(({ id }) => !known.has(id)).map(approvalCard));
    if (list.children.length === 0) {
      list.append(make("p", { class: "none" }, "Nothing waits."));
    }
    timer = setTimeout(again, AGAIN_MS);
  };
  const again = () => {
    if (document.hidden) {
      timer = setTimeout(again, AGAIN_MS);
    } else {
      doing(read, said.textContent);
    }
  };
  await read();
  return [make("h1", {}, "What waits for a person"), list];
}

// Skills

async function skills(mine) {
  const rows = make("tbody");
  const more = make("button", { type: "button", hidden: true }, "More");
  let next = null;
  const read = async (query) => {
    const page = new URLSearchParams({ query, limit: "50", ...(next === null ? {} : { cursor: next }) });
    const { skills: found, next_cursor } = await ask(`/v1/skills?${page}`);
    if (mine === turn) {
      next = next_cursor;
      more.hidden = next === null;
      rows.append(...found.map(skillRow));
    }
  };
  const form = make(
    "form",
    {
      class: "row",
      role: "search",
      onsubmit: (event) => {
        event.preventDefault();
        rows.replaceChildren();
        next = null;
        doing(() => read(form.elements.query.value), "");
      },
    },
    make("label", {}, "Search ", make("input", { name: "query", type: "search" })),
    make("button", {}, "Search"),
  );
  more.addEventListener("click", () => doing(() => read(form.elements.query.value), ""));
  await read("");
  const head = ["Name", "Description", "Layer", "Files", "Scripts"].map((name) => make("th", { scope: "col" }, name));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), rows);
  return [make("h1", {}, "Skills"), form, table, more];
}

function skillRow({ name, description, layer, resources, scripts }) {
  const link = make("a", { href: `#skills/${encodeURIComponent(name)}` }, visible(name));
  const cells = [link, visible(description), layer ?? "", String(resources ?? ""), String(scripts ?? "")];
  return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
}

async function oneSkill(name) {
  const skill = await ask(`/v1/skills/${encodeURIComponent(name)}`);
  const scripts = (skill.scripts ?? []).map(({ name: path, runtime, runnable, reason }) =>
    make("li", {}, visible(`${path} (${runtime ?? "?"})${runnable ? "" : `, does not run: ${reason}`}`)),
  );
  const files = (skill.resources ?? []).map(({ name: path, size }) =>
    make("li", {}, visible(`${path}, ${size} bytes`)),
  );
  return [
    make("h1", {}, visible(skill.name)),
    make("p", {}, visible(skill.description)),
    facts([
      ["Layer", skill.layer],
      ["Digest", skill.digest],
      ["Snapshot", skill.bundle],
    ]),
    make("pre", { tabindex: 0, "aria-label": "Instructions" }, visible(skill.body)),
    ...(scripts.length > 0 ? [make("h2", {}, "Scripts"), make("ul", {}, ...scripts)] : []),
    ...(files.length > 0 ? [make("h2", {}, "Files"), make("ul", {}, ...files)] : []),
  ];
}

// Deploys

async function deploys(mine) {
  const { channels } = await askFor("/v1/deploys");
  const rows = make("tbody");
  const more = make("button", { type: "button" }, "More");
  let shown = 0;
  const read = async () => {
    const page = channels.slice(shown, shown + PAGE_CHANNELS);
    const states = await Promise.all(page.map(channelState));
    if (mine === turn) {
      shown += page.length;
      more.hidden = shown >= channels.length;
      rows.append(...states.map(channelRow));
    }
  };
  more.addEventListener("click", () => doing(read, ""));
  await read();
  const none = channels.length === 0 ? [make("p", {}, "Nothing is deployed.")] : [];
  const columns = ["Layer", "Channel", "Live bundle", "Since", "By", ""];
  return [make("h1", {}, "Deploys"), ...none, table(columns, rows), more, ...(await recalled())];
}

function channelState({ layer, channel }) {
  return ask(`/v1/deploys?${new URLSearchParams({ channel, tenant: layer })}`);
}

function channelRow({ layer, channel, bundle, history }) {
  const address = [layer, channel].map(encodeURIComponent).join("/");
  const link = make("a", { href: `#deploys/${address}`, "aria-label": `History of ${layer}/${channel}` }, "History");
  const [head] = history;
  return row([visible(layer), visible(channel), short(bundle), time(head?.at) ?? "", visible(head?.by ?? ""), link]);
}

async function oneChannel(layer, channel) {
  const { bundle, history } = await channelState({ layer, channel });
  const rows = make("tbody", {}, ...history.map(moveRow));
  return [
    make("h1", {}, visible(`${layer} › ${channel}`)),
    facts([
      ["Live bundle", bundle ?? "none"],
      ["Moves kept", history.length],
    ]),
    table(["When", "What", "Bundle", "By", "Commit"], rows),
  ];
}

function moveRow({ bundle, at, by, reason, commit }) {
  return row([time(at) ?? "", visible(reason), short(bundle), visible(by), visible(commit ?? "")]);
}

/** What is recalled, for who may ask; others see no such list. */
async function recalled() {
  if (/^es_(?!platform_)/.test(sessionStorage.getItem(TOKEN) ?? "")) {
    return [];
  }
  try {
    const { blocks } = await ask("/v1/blocks");
    const rows = make("tbody", {}, ...blocks.map(blockRow));
    const none = blocks.length === 0 ? [make("p", {}, "Nothing is recalled.")] : [];
    return [make("h2", {}, "Recalled"), ...none, table(["Digest", "Reason", "When", "By", "Along with"], rows)];
  } catch (error) {
    if (error instanceof Refused) {
      return [];
    }
    throw error;
  }
}

function blockRow({ digest, reason, at, by, with: along }) {
  return row([short(digest), visible(reason), time(at) ?? "", visible(by), short(along)]);
}

/** The first digits of a digest, which are enough to name it; all of it where one points at it. */
function short(digest) {
  return digest ? make("code", { title: digest }, visible(digest).replace("sha256:", "").slice(0, 12)) : "";
}

function row(cells) {
  return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
}

function table(columns, rows) {
  const head = columns.map((name) => make("th", { scope: "col" }, name));
  return make("table", { hidden: rows.children.length === 0 }, make("thead", {}, make("tr", {}, ...head)), rows);
}

// Tokens

async function tokens() {
  const rows = make("tbody");
  const shown = make("div", { "aria-live": "polite" });
  const fill = async () => {
    const { tokens: known } = await askFor("/v1/tokens");
    rows.replaceChildren(...known.map((token) => tokenRow(token, fill)));
  };
  const create = (event) => {
    event.preventDefault();
    const scopes = SCOPES.filter((scope) => form.elements[scope].checked);
    const { channel, days } = form.elements;
    const rest = days.value === "" ? {} : { expires_in: Math.round(Number(days.value) * 86_400) };
    doing(async () => {
      const made = await askFor("/v1/tokens", {
        method: "POST",
        body: { scopes, channel: channel.value || "live", ...rest },
      });
      const field = make("input", { readonly: true, value: made.token, "aria-label": "The new token" });
      shown.replaceChildren(make("p", {}, `Token ${made.id}. It is not shown again:`), field);
      field.select();
      await fill();
    }, "Made.");
  };
  const boxes = SCOPES.map((scope) =>
    make(
      "label",
      {},
      make("input", { type: "checkbox", name: scope, checked: scope === "read" || scope === "run" }),
      ` ${scope}`,
    ),
  );
  const form = make(
    "form",
    { class: "row", onsubmit: create },
    make("fieldset", {}, make("legend", {}, "Scopes"), ...boxes),
    make("label", {}, "Channel ", make("input", { name: "channel", value: "live", size: 10 })),
    make(
      "label",
      {},
      "Days it counts ",
      make("input", { name: "days", type: "number", min: 1, placeholder: "no end" }),
    ),
    make("button", {}, "Make a token"),
  );
  await fill();
  const head = ["Id", "Scopes", "Channel", "Made", "Ends", ""].map((name) => make("th", { scope: "col" }, name));
  return [make("h1", {}, "Tokens"), form, shown, make("table", {}, make("thead", {}, make("tr", {}, ...head)), rows)];
}

function tokenRow({ id, scopes, channel, created_at, expires_at }, fill) {
  const revoke = () => {
    if (confirm(`Revoke token ${id}? It stops working within 10 seconds.`)) {
      doing(async () => {
        await askFor(`/v1/tokens/${encodeURIComponent(id)}`, { method: "DELETE" });
        await fill();
      }, "Revoked.");
    }
  };
  const button = make(
    "button",
    { type: "button", class: "no", "aria-label": `Revoke ${id}`, onclick: revoke },
    "Revoke",
  );
  const cells = [
    visible(id),
    scopes.join(", "),
    visible(channel),
    time(created_at) ?? "",
    time(expires_at) ?? "never",
    button,
  ];
  return make("tr", {}, ...cells.map((cell) => make("td", {}, cell)));
}

// The frame

function signIn() {
  const enter = (event) => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, form.elements.token.value.trim());
    say("");
    show();
  };
  const form = make(
    "form",
    { class: "row", onsubmit: enter },
    make(
      "label",
      {},
      "Token ",
      make("input", { name: "token", type: "password", autocomplete: "off", required: true, size: 50 }),
    ),
    make("button", {}, "Enter"),
  );
  return [
    make("h1", {}, "Whose console?"),
    make(
      "p",
      {},
      "The token stays in this tab and is gone when it is closed. To decide approvals it needs the scope approve, to see deploys deploy, to manage tokens admin.",
    ),
    form,
  ];
}

/** What the address asks for. */
function view(mine) {
  const approval = /^\/console\/approvals\/([^/]+)$/.exec(location.pathname)?.[1];
  if (approval !== undefined) {
    return oneApproval(decodeURIComponent(approval));
  }
  const [part, ...rest] = location.hash.slice(1).split("/");
  const name = rest.join("/");
  switch (part) {
    case "skills":
      return name === "" ? skills(mine) : oneSkill(decodeURIComponent(name));
    case "deploys":
      return rest.length === 2 ? oneChannel(...rest.map(decodeURIComponent)) : deploys(mine);
    case "tokens":
      return tokens();
    default:
      return approvals(mine);
  }
}

async function show() {
  const mine = ++turn;
  clearTimeout(timer);
  const token = sessionStorage.getItem(TOKEN);
  leave.hidden = token === null;
  tenantForm.hidden = !token?.startsWith("es_platform_");
  tenantForm.elements.tenant.value = sessionStorage.getItem(TENANT) ?? "";
  const part = location.hash.slice(1).split("/")[0] || "approvals";
  for (const link of document.querySelectorAll("nav a")) {
    link.toggleAttribute("aria-current", false);
    if (link.hash === `#${part}`) {
      link.setAttribute("aria-current", "page");
    }
  }
  if (token === null) {
    main.replaceChildren(...signIn());
    main.querySelector("input").focus();
    return;
  }
  await doing(async () => {
    const content = await view(mine).catch((error) => {
      if (mine === turn) {
        main.replaceChildren();
      }
      throw error;
    });
    if (mine === turn) {
      main.replaceChildren(...content);
    }
  }, "");
}

leave.addEventListener("click", () => {
  sessionStorage.clear();
  say("The token is forgotten.");
  show();
});
tenantForm.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TENANT, tenantForm.elements.tenant.value);
  show();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", async () => {
  await show();
  main.focus();
});
show();
