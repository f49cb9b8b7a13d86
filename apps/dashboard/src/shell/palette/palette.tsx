import { Text, TextInput, VisuallyHidden } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import classes from "./palette.module.css";
import {
  type Choices,
  matching,
  type Offer,
  type PaletteChoice,
  type PaletteProps,
  placeAfter,
} from "./palette.pure.ts";
import { useOffers } from "./use-offers.ts";
import { useThings } from "./use-things.ts";
import { words } from "./words.ts";

const AFTER_KEYS_MS = 200;

type ListProps = {
  id: string;
  groups: readonly Choices<Offer>[];
  chosen: Offer | undefined;
  choose: (offer: Offer) => void;
};

const optionId = (list: string, { id }: PaletteChoice): string => `${list}-${id.replaceAll(/\W+/g, "-")}`;

/** What is offered, by kind. The focus stays in the field, which says which option is the chosen one. */
function OfferList({ id, groups, chosen, choose }: ListProps) {
  return (
    <div id={id} role="listbox" aria-label={words.title} className={classes.list}>
      {groups.map(({ group, choices }) => (
        // biome-ignore lint/a11y/useSemanticElements: options of a list box are grouped by this role, and a field set is for fields.
        <div key={group} role="group" aria-label={group}>
          <div className={classes.group} aria-hidden>
            {group}
          </div>
          {choices.map((offer) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above hears the keys for all options.
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus (aria-activedescendant).
            <div
              key={offer.id}
              id={optionId(id, offer)}
              role="option"
              aria-selected={offer === chosen}
              className={classes.option}
              onClick={() => choose(offer)}
            >
              <span>{offer.label}</span>
              {offer.hint !== undefined && <span className={classes.hint}>{offer.hint}</span>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Finds pages, actions, projects and things by their names, and opens what is chosen. */
export function Palette(props: PaletteProps) {
  const { scope, close, openPage } = props;
  const [typed, setTyped] = useState("");
  const [place, setPlace] = useState(0);
  const [searched] = useDebouncedValue(typed, AFTER_KEYS_MS);
  const list = useId();
  const things = useThings(scope, searched, openPage);
  const groups = [...matching(useOffers(props), typed), ...things.groups];
  const offers = groups.flatMap(({ choices }) => choices);
  const chosen = offers[Math.min(place, offers.length - 1)];
  const chosenId = chosen && optionId(list, chosen);
  useEffect(() => {
    if (chosenId !== undefined) document.getElementById(chosenId)?.scrollIntoView({ block: "nearest" });
  }, [chosenId]);
  const choose = (offer: Offer): void => {
    close();
    offer.act();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && chosen !== undefined) {
      event.preventDefault();
      choose(chosen);
    }
    const next = placeAfter(event.key, Math.min(place, offers.length - 1), offers.length);
    if (next === null) return;
    event.preventDefault();
    setPlace(next);
  };
  const isEmpty = offers.length === 0 && !things.isSearching;
  const status = things.isSearching ? words.searching : words.found(offers.length);
  return (
    <Dialog opened close={close} title={words.title}>
      <TextInput
        aria-label={words.label}
        placeholder={words.label}
        data-autofocus
        autoComplete="off"
        maxLength={200}
        role="combobox"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={list}
        aria-activedescendant={chosenId}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={press}
      />
      <VisuallyHidden role="status">{status}</VisuallyHidden>
      {isEmpty && <Text mt="sm">{words.nothing}</Text>}
      {things.hasFailed && (
        <Text mt="sm" c="red">
          {words.failed}
        </Text>
      )}
      <OfferList id={list} groups={groups} chosen={chosen} choose={choose} />
    </Dialog>
  );
}
