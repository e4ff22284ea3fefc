"""Attacks of every group once more in tier `restricted`, where there are no namespaces."""

from __future__ import annotations

import pytest

from attacks.harness import Arena
from attacks.test_crashes import (
    test_a_crash_costs_only_its_own_question,
    test_attack_58_no_signal_reaches_anyone_else,
    test_attack_137_what_reaches_a_process_by_its_number_reaches_no_other,
)
from attacks.test_escapes import (
    listeners,
    test_attack_59_no_socket_reaches_anything,
    test_attack_60_and_62_dangerous_system_calls_fail,
    test_attack_63_installed_packages_stay_as_they_are,
    test_calls_of_another_architecture_are_killed,
)
from attacks.test_forging import test_a_frame_of_ones_own_is_worth_what_its_bytes_deserve
from attacks.test_resources import (
    test_attack_118_what_the_kernel_counts_for_each_user_is_left_to_others,
    test_what_takes_too_much_gets_no_more_than_its_share,
)
from attacks.test_stealing import (
    test_attack_36_no_file_of_the_course_is_there_to_read_or_to_write,
    test_attack_37_no_other_process_can_be_looked_at,
    test_attack_38_no_accounts_and_no_home_are_there,
    test_attack_39_no_process_can_be_traced_or_read,
    test_attack_40_nothing_is_left_for_the_next_student,
    test_attack_41_the_text_of_a_check_stays_in_the_grader,
)

__all__ = [
    "listeners",
    "test_a_crash_costs_only_its_own_question",
    "test_a_frame_of_ones_own_is_worth_what_its_bytes_deserve",
    "test_attack_36_no_file_of_the_course_is_there_to_read_or_to_write",
    "test_attack_37_no_other_process_can_be_looked_at",
    "test_attack_38_no_accounts_and_no_home_are_there",
    "test_attack_39_no_process_can_be_traced_or_read",
    "test_attack_40_nothing_is_left_for_the_next_student",
    "test_attack_41_the_text_of_a_check_stays_in_the_grader",
    "test_attack_58_no_signal_reaches_anyone_else",
    "test_attack_59_no_socket_reaches_anything",
    "test_attack_60_and_62_dangerous_system_calls_fail",
    "test_attack_63_installed_packages_stay_as_they_are",
    "test_attack_118_what_the_kernel_counts_for_each_user_is_left_to_others",
    "test_attack_137_what_reaches_a_process_by_its_number_reaches_no_other",
    "test_calls_of_another_architecture_are_killed",
    "test_what_takes_too_much_gets_no_more_than_its_share",
]


@pytest.fixture
def arena(restricted: Arena) -> Arena:
    """The arena of these tests, in place of the one of tier `full`."""
    return restricted
